// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.cairn.container.Container;
import org.cairn.container.CorruptContainerException;
import org.cairn.container.UnsupportedFormatException;
import org.cairn.container.VersionId;
import org.cairn.store.Store;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A container in which a tier keeps versions for others: the newest version that all ranks agreed
 * to be stable stays until a newer one is.
 */
public final class Copies implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Copies.class);

  private final Store store;
  private final String name;
  private volatile @Nullable VersionId stable;
  private volatile boolean distrusted;
  private @Nullable Container container;

  /** Copies in the container of this name. */
  public Copies(Store store, String name) {
    this.store = store;
    this.name = name;
  }

  /** The container, opened when it is first needed and again after a failed force. */
  public Container open() throws IOException {
    Container current = container;
    if (current != null && current.isBroken()) {
      close();
      current = null;
    }
    if (current == null) {
      current = openOrReplace();
      container = current;
    }
    return current;
  }

  private Container openOrReplace() throws IOException {
    try {
      return Container.open(store, name, this::keep);
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      // It is of no use to anybody as it is; what it held can be had from its owner.
      String aside = name + ".damaged";
      LOG.warn("{} cannot be used and is put aside as {}: {}", name, aside, e.getMessage());
      store.rename(name, aside);
      store.forceDirectory();
      return Container.open(store, name, this::keep);
    }
  }

  private Set<VersionId> keep(List<VersionId> versions) {
    Set<VersionId> kept = new HashSet<>();
    VersionId safe = stable;
    if (distrusted) {
      return kept;
    }
    if (safe == null || !versions.contains(safe)) {
      // Not known yet which of them all ranks have: keep what there is.
      kept.addAll(versions.subList(Math.max(0, versions.size() - 3), versions.size()));
    } else {
      kept.add(safe);
    }
    return kept;
  }

  /** All ranks have this version: older ones may go with the next. */
  public void settled(VersionId version) {
    stable = version;
    distrusted = false;
  }

  /** Forgets everything, because it is known to be damaged. */
  public void discard() throws IOException {
    close();
    store.delete(name);
    store.forceDirectory();
  }

  /**
   * What is here was found to be damaged, though the maps are not: the next version must be taken
   * whole, and nothing else is kept once it is durable.
   */
  void distrust() {
    distrusted = true;
  }

  boolean isDistrusted() {
    return distrusted;
  }

  String name() {
    return name;
  }

  @Override
  public void close() throws IOException {
    Container current = container;
    container = null;
    if (current != null) {
      current.close();
    }
  }
}
