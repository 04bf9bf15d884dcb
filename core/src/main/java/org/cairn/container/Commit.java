// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.cairn.Label;
import org.cairn.record.Field;
import org.cairn.supply.Mutex;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * One version in the making. {@link #plan} says which blocks there will be, {@link #store} writes
 * those that must be written, {@link #ready} makes all of it durable but the superblock that leads
 * to it, {@link #publish} that too; {@link #abort} leaves everything as it was. Exactly one of the
 * last two ends a commit.
 *
 * <p>{@code plan} and {@code store} may be called by different threads, not at the same time unless
 * the caller guards against it: {@code plan} touches slots and catalog, {@code store} space and
 * map. Once a commit is ready any thread may publish it or give it up; of two that try at once one
 * wins, and the other is told.
 */
public final class Commit {
  private final Container container;
  private final Holdings held;
  private final VersionId id;
  private final @Nullable VersionInfo base;
  private final Instant takenAt;
  private final Space.Mark mark;
  private final NextDatasets datasets;
  private final BlockPlacing placing;
  private volatile State state = new Open();

  /** What this is a copy of, if it is one. */
  private Optional<Expected> original = Optional.empty();

  private List<Field> unknown = List.of();
  private int tiers;

  /** The root digest that a copy must come out with. */
  record Expected(long low, long high) {
    boolean isOf(VersionInfo version) {
      return version.digestLow() == low && version.digestHigh() == high;
    }

    @Override
    public String toString() {
      return "%016x%016x".formatted(high, low);
    }
  }

  /** Changes from ready on only under the lock of the container. */
  private sealed interface State {}

  private record Open() implements State {}

  private record Ready(Prepared prepared) implements State {}

  /** Made in advance: giving up must not take memory. */
  private static final Ended ENDED = new Ended();

  private record Ended() implements State {}

  Commit(Container container, VersionId id, Instant takenAt) {
    this.container = container;
    this.held = container.held();
    this.id = id;
    this.base = held.base().info();
    this.takenAt = takenAt;
    this.mark = held.space().begin();
    this.datasets = new NextDatasets(held);
    this.placing = new BlockPlacing(held, container::foundBad);
  }

  /** The identity of the version. */
  public VersionId id() {
    return id;
  }

  /** The version that this one continues; empty if it is the first. */
  public Optional<VersionInfo> base() {
    return Optional.ofNullable(base);
  }

  /** Says what a person has to say of the version; nothing unless this is called. */
  public void label(Label said) {
    ensureOpen();
    unknown = said.toFields();
  }

  /** Records where it was decided to keep the version, a bit for each tier. */
  public void tiers(int bits) {
    tiers = bits;
  }

  /** Adds a dataset: gives its blocks slots, and says what is known of them. */
  public DatasetPlan plan(DatasetSpec spec) {
    ensureOpen();
    return placing.plan(datasets.add(spec), datasets.comparableBlocks(spec));
  }

  /**
   * Makes this a copy of a version of another container: the same datasets in the same slots. What
   * differs from the version it continues must be stored, the rest stays. If the outcome is not
   * what {@code original} says, {@link #ready} and {@link #publish} refuse.
   */
  public void copy(Collection<DatasetEntry> entries, VersionInfo original) {
    ensureOpen();
    datasets.copy(entries);
    placing.noteWhatIsStored();
    tiers = original.tiers();
    unknown = original.unknown();
    this.original = Optional.of(new Expected(original.digestLow(), original.digestHigh()));
  }

  /**
   * Only some blocks will be looked at, and the others stay as they are: says so before the first
   * is stored, so that {@link #moveClean} can move what is left in nearly empty regions.
   */
  public void keepUnseen() {
    ensureOpen();
    if (placing.dirtyBlocks() + placing.movedBlocks() > 0) {
      throw new IllegalStateException("blocks were stored before");
    }
    placing.noteWhatIsStored();
  }

  /**
   * Writes staged blocks to free space, as few large writes, and notes what the map will say.
   *
   * @param moved how many of the blocks were clean, and staged only to be moved
   * @return how many bytes now lie in the system's memory, for a force to bring to the disk
   */
  public long store(StagedBlocks staged, int moved) throws IOException {
    ensureOpen();
    return placing.store(staged, moved);
  }

  /** Notes that blocks are all zeros, in one step however many they are. */
  public void storeZeros(DatasetEntry dataset, int first, int count) {
    ensureOpen();
    placing.storeZeros(dataset, first, count);
  }

  /**
   * Moves blocks that were not stored out of nearly empty regions, as a checkpoint does on its way
   * through memory: those of a {@linkplain #copy copy}, or those {@linkplain #keepUnseen kept
   * unseen}. They are copied as they lie in the file, if they are as they were written; what has
   * rotted stays where it is, and the container knows of it.
   */
  public void moveClean(StagedBlocks staged) throws IOException {
    placing.moveClean(datasets.all(), staged);
  }

  /**
   * Lets the medium begin with what has been stored so far. May run beside {@link #store}, but must
   * have ended before {@link #ready}, {@link #publish} or {@link #abort}. If it fails the commit
   * must be aborted.
   */
  public void forceEarly() throws IOException {
    held.writer().force();
  }

  /**
   * Writes and forces all of the version, so that nothing but {@link #publish} is left to do, and
   * says what it will be, root digest included. Datasets that were not added are no longer part of
   * the state. Nobody can find the version yet; a crash loses it and nothing else. If this fails
   * the commit must be aborted. Asking again gives the same answer.
   */
  public VersionInfo ready() throws IOException {
    try (Mutex.Held _ = container.hold()) {
      return prepared().info();
    }
  }

  private Prepared prepared() throws IOException {
    if (state instanceof Ready ready) {
      return ready.prepared;
    }
    ensureOpen();
    Prepared prepared = container.prepare(pending());
    state = new Ready(prepared);
    return prepared;
  }

  private Pending pending() {
    datasets.complete(original.isPresent());
    datasets.describeReleased(placing.delta());
    return new Pending(
        id,
        tiers,
        takenAt,
        datasets.catalog(),
        datasets.released(),
        original,
        unknown,
        placing.finish(),
        datasets.blocks(),
        placing.dirtyBlocks(),
        placing.dataBytes(),
        placing.dirtyBytes());
  }

  /**
   * Makes the version durable: {@link #ready} if that was not done before, then the superblock.
   *
   * @throws IllegalStateException if the commit was given up before
   */
  public VersionInfo publish() throws IOException {
    try (Mutex.Held _ = container.hold()) {
      Prepared prepared = prepared();
      Publication publication = new Publication(held);
      publication.run(prepared);
      state = ENDED;
      container.ended(null);
      publication.mendAfterwards();
      return prepared.info();
    }
  }

  /**
   * Leaves the container as it was before this commit. While the commit is ready any thread may
   * call this at any time; if one publishes at that moment this waits for it.
   *
   * @return whether this call ended the commit; false if it had ended before
   */
  public boolean abort() {
    try (Mutex.Held _ = container.hold()) {
      if (state instanceof Ended) {
        return false;
      }
      state = ENDED;
      container.ended(mark);
      return true;
    }
  }

  /** How many blocks of the new version there are. */
  public long blocks() {
    return datasets.blocks();
  }

  /** How many blocks were written because they changed or are new. */
  public long dirtyBlocks() {
    return placing.dirtyBlocks();
  }

  /** How many clean blocks were moved to keep free space in large pieces. */
  public long movedBlocks() {
    return placing.movedBlocks();
  }

  /** How many bytes of blocks were written. */
  public long dataBytes() {
    return placing.dataBytes();
  }

  private void ensureOpen() {
    switch (state) {
      case Open open -> {}
      case Ready ready ->
          throw new IllegalStateException("the commit of version " + id + " is ready already");
      case Ended ended ->
          throw new IllegalStateException("the commit of version " + id + " has ended");
    }
  }
}
