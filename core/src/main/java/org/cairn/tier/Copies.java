// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.container.Container;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A container in which a tier keeps versions for others: the newest version that all ranks agreed
 * to be stable stays until a newer one is.
 */
public final class Copies implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Copies.class);

  private final Home home;
  private final int kind;
  private final int owner;
  private volatile @Nullable VersionId stable;
  private volatile boolean distrusted;
  private volatile @Nullable Container container;
  private volatile @Nullable String name;

  /**
   * Copies of one kind, see {@link org.cairn.version.Ownership}.
   *
   * @param owner the rank whose state they hold; for parity, the rank that holds it
   */
  public Copies(Home home, int kind, int owner) {
    this.home = home;
    this.kind = kind;
    this.owner = owner;
  }

  /** The container, opened when it is first needed and again after a failed force. */
  public Container open() throws IOException {
    Container current = container;
    if (current != null && (current.isBroken() || !isOfThisRun(current))) {
      close();
      current = null;
    }
    if (current == null) {
      current = openOrCreate();
      container = current;
    }
    return current;
  }

  /** The container as it is now, if it was needed. */
  public Optional<Container> current() {
    return Optional.ofNullable(container);
  }

  private Container openOrCreate(String file) throws IOException {
    return Container.open(
        home.store(), file, this::keep, home.ownership(kind, owner), home.random());
  }

  /** What cannot be read is not ours to say; then a new one is made beside it. */
  private Container openOrCreate() throws IOException {
    String chosen = home.file(kind, owner);
    Container opened;
    try {
      opened = openOrCreate(chosen);
    } catch (CorruptContainerException e) {
      // It is of no use to anybody as it is; what it held can be had from its owner.
      String aside = FileNames.putAside(home.store(), chosen);
      LOG.warn("{} cannot be used and is put aside as {}: {}", chosen, aside, e.getMessage());
      opened = openOrCreate(chosen);
    }
    try {
      if (!opened.ownership().lineage().equals(home.lineage())) {
        opened.enter(home.lineage());
      }
    } catch (IOException | RuntimeException | Error e) {
      opened.close();
      throw e;
    }
    // What cannot be read cannot be compared with; and where something is damaged, more may be.
    distrusted |= !opened.problems().isEmpty();
    name = chosen;
    return opened;
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
  public void nowStable(VersionId version) {
    stable = version;
    distrusted = false;
  }

  private boolean isOfThisRun(Container current) {
    return current.ownership().lineage().equals(home.lineage());
  }

  /** Forgets everything, because it is known to be damaged. */
  public void discard() throws IOException {
    String gone = open().name();
    close();
    home.store().delete(gone);
    home.store().forceDirectory();
  }

  /**
   * What is here was found to be damaged, though the maps are not: the next version must be taken
   * whole, and nothing else is kept once it is durable.
   */
  public void distrust() {
    distrusted = true;
  }

  /** Whether what is there must be compared, block by block, before it is built upon. */
  public boolean isDistrusted() {
    return distrusted;
  }

  /** Whether a file of this name holds these copies. */
  public boolean isIn(String file) {
    String known = name;
    try {
      return file.equals(known == null ? home.file(kind, owner) : known);
    } catch (IOException e) {
      LOG.debug("it is not known where copies of rank {} are", owner, e);
      return true; // to trust them less does no harm
    }
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
