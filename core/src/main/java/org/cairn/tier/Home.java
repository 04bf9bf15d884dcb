// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionInfo;

/**
 * Where a rank keeps its files, and for which run. What lies in the directory need not be ours: a
 * file of another life is never opened for writing, and the job uses a name of its own beside it.
 *
 * <p>Safe for use by many threads.
 */
public final class Home {
  private final Store store;
  private final int rank;
  private final int ranks;
  private final LongSupplier random;
  private volatile boolean deltasWanted;
  private volatile boolean oldWorldsMayGo;

  /**
   * Empty until it is decided which job this is: tiers know their home from their opening on, since
   * what a restart finds in it is what decides.
   */
  private volatile Optional<Stay> stay = Optional.empty();

  /** Empty unless this process writes the rank's own container. */
  private volatile Optional<Container> writer = Optional.empty();

  /** A run in this home, and the name of the container that it writes its own state to. */
  private record Stay(Lineage lineage, String state) {}

  /**
   * The directory of a rank.
   *
   * @param random where the random bits come from by which files are named
   */
  public Home(Store store, int rank, int ranks, LongSupplier random) {
    this.store = store;
    this.rank = rank;
    this.ranks = ranks;
    this.random = random;
  }

  /** The directory. */
  public Store store() {
    return store;
  }

  /** The number of this rank. */
  public int rank() {
    return rank;
  }

  /** How many ranks there are. */
  public int ranks() {
    return ranks;
  }

  /** Where random bits come from. */
  public LongSupplier random() {
    return random;
  }

  /**
   * A run begins.
   *
   * @param container the name of this rank's own container
   */
  public void enter(Lineage run, String container) {
    oldWorldsMayGo = false;
    stay = Optional.of(new Stay(run, container));
  }

  /** This world has all that those before it had: what is left of them may go. */
  public void releaseOldWorlds() {
    oldWorldsMayGo = true;
  }

  /** Whether what is left of the worlds that this one has gone on from may go. */
  public boolean mayOldWorldsGo() {
    return oldWorldsMayGo;
  }

  /** There is a tier: what changes from version to version is to be remembered. */
  public void wantDeltas() {
    deltasWanted = true;
  }

  /** Whether what changes is to be remembered. */
  public boolean areDeltasWanted() {
    return deltasWanted;
  }

  /** The rank's own container was opened for writing: who reads it may ask it first. */
  public void writtenBy(Container container) {
    writer = Optional.of(container);
  }

  /** Opens the rank's own container for reading, beside who writes it. */
  public ContainerReader openState() throws IOException {
    ContainerReader reader = ContainerReader.open(store, state());
    return writer.map(reader::fedBy).orElse(reader);
  }

  /** Whether it is known which run this is. */
  public boolean isEntered() {
    return stay.isPresent();
  }

  /** The run and what it comes from. */
  public Lineage lineage() {
    return stay().lineage;
  }

  /** The name of this rank's own container. */
  public String state() {
    return stay().state;
  }

  private Stay stay() {
    return stay.orElseThrow(
        () -> new IllegalStateException("it is not decided yet which job this is"));
  }

  /** Where this rank's files are, in words that are the same as long as it holds its lock there. */
  public String place() {
    return store.location(FileNames.jobLock(rank, lineage().name()));
  }

  /** What a container of this run says about itself. */
  public Ownership ownership(int kind, int owner) {
    return new Ownership(lineage(), kind, owner, ranks);
  }

  /** The container of this kind that this run may write: one of its own life, or a new one. */
  public String file(int kind, int owner) throws IOException {
    Lineage run = lineage();
    String newest = null;
    Instant taken = Instant.MIN;
    for (String name : store.list()) {
      if (isInPlace(name)) {
        Optional<Instant> ours = ifOurs(name, kind, owner, run);
        if (ours.isPresent() && !ours.get().isBefore(taken)) {
          newest = name;
          taken = ours.get();
        }
      }
    }
    return newest == null ? FileNames.free(store, owner, run.name(), kind, run.run().id()) : newest;
  }

  private static boolean isInPlace(String name) {
    return FileNames.meaning(name)
        .filter(meaning -> meaning.condition() == FileNames.Condition.IN_PLACE)
        .isPresent();
  }

  /** When its newest version was taken, if the file is of this run's life. */
  private Optional<Instant> ifOurs(String name, int kind, int owner, Lineage run) {
    try (ContainerReader reader = ContainerReader.open(store, name)) {
      Ownership found = reader.ownership();
      List<VersionInfo> versions = reader.versions();
      boolean ours =
          found.kind() == kind
              && found.rank() == owner
              && found.ranks() == ranks
              && run.job().equals(found.lineage().job())
              && (versions.isEmpty() || run.isOfWorld(found.lineage()))
              && versions.stream().map(VersionInfo::id).allMatch(run::owns);
      return ours
          ? Optional.of(versions.isEmpty() ? Instant.EPOCH : versions.getFirst().takenAt())
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
