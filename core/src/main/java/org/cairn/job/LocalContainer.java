// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.store.Store;
import org.cairn.tier.Home;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first tier: the container of a rank, which may have to be opened again, or be replaced by one
 * that was rebuilt.
 */
public final class LocalContainer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalContainer.class);

  private final Home home;
  private final Store store;
  private final LongSupplier random;
  private final String name;
  private final Retention retention;
  private final List<String> problems = new ArrayList<>();
  private volatile Container container;

  /** Whether it is the one that the run writes to, and not one that is only looked at. */
  private volatile boolean isOwn;

  /** Whether the container was closed to be replaced, and that did not come to an end. */
  private boolean detached;

  private LocalContainer(Home home, String name, Retention retention, Container container)
      throws IOException {
    this.store = home.store();
    this.random = home.random();
    this.name = name;
    this.retention = retention;
    this.home = home;
    this.container = remembering(container);
    problems.addAll(container.problems());
  }

  /** Opens a container that is there; what is damaged beyond use is thrown. */
  public static LocalContainer open(Home home, String name, Retention retention)
      throws IOException {
    Container container = Container.open(home.store(), name, retention);
    return new LocalContainer(home, name, retention, container);
  }

  /** If this fails it is closed: nobody has it, and nobody could open it again. */
  private Container remembering(Container opened) throws IOException {
    try {
      if (home.areDeltasWanted()) {
        opened.rememberDeltas();
        if (isOwn) {
          home.writtenBy(opened);
        }
      }
      return opened;
    } catch (OutOfMemoryError e) {
      opened.close();
      throw e;
    }
  }

  /** The run goes on with it: who reads it meanwhile may be fed by it. */
  void becomeOwn() {
    isOwn = true;
    if (home.areDeltasWanted()) {
      home.writtenBy(container);
    }
  }

  /** The container as it is, perhaps unusable. */
  public Container get() {
    return container;
  }

  /** What was found damaged when it was opened. */
  public List<String> problems() {
    return problems;
  }

  /** A container whose force failed is opened again; only the file knows what became durable. */
  public Container usable() throws IOException {
    if (container.isBroken() || detached) {
      LOG.warn("opening {} again after a failed write", container.location());
      Container before = container;
      before.close();
      container = remembering(reopened(before));
      detached = false;
      container.raiseEpoch(before.epoch());
      keepCourse(before);
    }
    return container;
  }

  /** One that was deleted under its writer is made anew: memory has all that was in it. */
  private Container reopened(Container before) throws IOException {
    if (store.exists(name)) {
      refuseAnother(before);
      return Container.open(store, name, retention);
    }
    LOG.warn("{} is gone; the next version saves everything", before.location());
    return Container.open(store, name, retention, before.ownership(), random);
  }

  private void refuseAnother(Container before) throws IOException {
    try (ContainerReader found = ContainerReader.open(store, name)) {
      if (!found.id().equals(before.id())) {
        throw new FileSystemException(
            before.location(),
            null,
            "is another container than the one that this run wrote to: somebody moved it there; move it away");
      }
    }
  }

  /** Makes durable that a run writes from now on, in this epoch. */
  public void enter(Lineage lineage, long epoch) throws IOException {
    Container entered = usable();
    entered.raiseEpoch(epoch);
    if (!entered.enter(lineage)) {
      LOG.warn(
          "the disk is full; that {} belongs to run {} becomes durable with its next version",
          entered.location(),
          lineage.brief());
    }
  }

  /** A restart from an older version holds until a checkpoint after it is durable. */
  private void keepCourse(Container before) throws IOException {
    Optional<VersionInfo> base = before.base();
    if (base.isPresent() && container.versions().equals(before.versions())) {
      container.continueFrom(base.get());
    }
  }

  /**
   * The version that is gone on from, to be read.
   *
   * @throws IOException if it is another one, or none
   */
  VersionSource base(VersionId version) throws IOException {
    Container source = usable();
    VersionInfo base =
        source
            .base()
            .filter(one -> one.id().equals(version))
            .orElseThrow(
                () -> new IOException(source.location() + " does not go on from " + version));
    return source.view(base);
  }

  /** Puts a container that was rebuilt under another name into the place of this one. */
  public void replaceBy(String rebuilt) throws IOException {
    long epoch = container.epoch();
    detached = true;
    container.close();
    store.rename(rebuilt, name);
    store.forceDirectory();
    container = remembering(Container.open(store, name, retention));
    detached = false;
    container.raiseEpoch(epoch);
  }

  /** The store it lies in. */
  public Store store() {
    return store;
  }

  /** Its name there. */
  public String name() {
    return name;
  }

  /** Where it lies, for messages. */
  public @Nullable String location() {
    return container.location();
  }

  /** Closes it because the rank does not go on with it, in the middle of what all ranks do. */
  void leave() {
    Leaving.leave(container.location(), this::close);
  }

  @Override
  public void close() throws IOException {
    container.close();
  }
}
