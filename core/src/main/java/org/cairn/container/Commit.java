// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * One version in the making. {@link #plan} says which blocks there will be, {@link #store} writes
 * those that must be written, {@link #publish} makes the version durable, {@link #abort} leaves
 * everything as it was. Exactly one of the last two ends a commit.
 *
 * <p>{@code plan} and {@code store} may be called by different threads, not at the same time unless
 * the caller guards against it: {@code plan} touches slots and catalog, {@code store} space and
 * map.
 */
public final class Commit {
  private final Container container;
  private final VersionId id;
  private final Instant takenAt;
  private final Space.Mark mark;
  private final BitSet victims;
  private final MapRecord.Builder delta;
  private final LinkedHashMap<String, DatasetEntry> datasets = new LinkedHashMap<>();
  private final SlotReleases released = new SlotReleases();
  private long blocks;
  private long dirtyBlocks;
  private long movedBlocks;
  private long dataBytes;
  private boolean ended;

  /** The slots that were stored, if somebody wants to know which of the others to move. */
  private @Nullable BitSet stored;

  /** Whether this is a copy. */
  private boolean copied;

  private @Nullable Expected expected;
  private int tiers;

  /** The root digest that a copy must come out with. */
  record Expected(long low, long high) {}

  Commit(Container container, VersionId id, Instant takenAt) {
    this.container = container;
    this.id = id;
    this.takenAt = takenAt;
    this.mark = container.space().begin();
    this.victims = container.space().victims(container.lastDelta());
    this.delta = new MapRecord.Builder(container.deltaBytes());
    delta.start(false);
  }

  /** The identity of the version. */
  public VersionId id() {
    return id;
  }

  /** Records where it was decided to keep the version, a bit for each tier. */
  public void tiers(int bits) {
    tiers = bits;
  }

  /** Adds a dataset: gives its blocks slots, and says what is known of them. */
  public DatasetPlan plan(DatasetSpec spec) {
    ensureOpen();
    if (datasets.containsKey(spec.name())) {
      throw new IllegalStateException("dataset \"" + spec.name() + "\" was added before");
    }
    if (spec.blocks() > ContainerFormat.MAX_SLOTS) {
      throw new IllegalArgumentException(
          "dataset \"%s\" has %d blocks; choose a larger block size"
              .formatted(spec.name(), spec.blocks()));
    }
    DatasetEntry before = container.baseCatalog().find(spec.name());
    DatasetEntry entry = new DatasetEntry(spec, slotsFor(spec, before));
    datasets.put(spec.name(), entry);
    blocks += entry.blocks();
    return new DatasetPlan(
        entry, container.map(), comparableBlocks(spec, before), container.space(), victims);
  }

  /**
   * Makes this a copy of a version of another container: the same datasets in the same slots. What
   * differs from the version it continues must be stored, the rest stays. If the outcome is not
   * what {@code original} says, {@link #publish} refuses.
   */
  public void copy(Collection<DatasetEntry> entries, VersionInfo original) {
    ensureOpen();
    if (!datasets.isEmpty()) {
      throw new IllegalStateException("datasets were added before");
    }
    for (DatasetEntry entry : entries) {
      datasets.put(entry.name(), entry);
      blocks += entry.blocks();
    }
    copied = true;
    stored = new BitSet();
    tiers = original.tiers();
    expected = new Expected(original.digestLow(), original.digestHigh());
  }

  /**
   * Only some blocks will be looked at, and the others stay as they are: says so before the first
   * is stored, so that {@link #moveClean} can move what is left in nearly empty regions.
   */
  public void keepUnseen() {
    ensureOpen();
    if (dirtyBlocks + movedBlocks > 0) {
      throw new IllegalStateException("blocks were stored before");
    }
    stored = new BitSet();
  }

  private static boolean sameBlocks(DatasetSpec spec, @Nullable DatasetEntry before) {
    return before != null
        && before.spec().blockSize() == spec.blockSize()
        && before.spec().algorithm() == spec.algorithm();
  }

  private SlotRuns slotsFor(DatasetSpec spec, @Nullable DatasetEntry before) {
    int count = (int) spec.blocks();
    if (before == null) {
      return container.slots().take(SlotRuns.NONE, count);
    }
    if (!sameBlocks(spec, before)) {
      released.add(before.slots());
      return container.slots().take(SlotRuns.NONE, count);
    }
    int kept = Math.min(count, before.blocks());
    if (before.blocks() == kept && count == kept) {
      return before.slots();
    }
    released.add(before.slots().suffix(kept));
    return container.slots().take(before.slots().prefix(kept), count - kept);
  }

  /** A last block that was or is short has another length now, and no digest to compare with. */
  private static int comparableBlocks(DatasetSpec spec, @Nullable DatasetEntry before) {
    if (before == null || !sameBlocks(spec, before)) {
      return 0;
    }
    if (before.spec().byteLength() == spec.byteLength()) {
      return before.blocks();
    }
    return (int) (Math.min(before.spec().byteLength(), spec.byteLength()) / spec.blockSize());
  }

  /**
   * Writes staged blocks to free space, as few large writes, and notes what the map will say.
   *
   * @param moved how many of the blocks were clean, and staged only to be moved
   */
  public void store(StagedBlocks staged, int moved) throws IOException {
    ensureOpen();
    int block = 0;
    long position = 0;
    while (block < staged.blocks()) {
      Space.Extent extent = extentFor(staged, block, position);
      int end = cut(staged, block, extent.length());
      long length = note(staged, block, end, extent.offset());
      if (length > 0) {
        container.file().write(extent.offset(), staged.memory().asSlice(position, length));
      }
      position += length;
      block = end;
    }
    noteStored(staged);
    dataBytes += position;
    dirtyBlocks += staged.blocks() - moved;
    movedBlocks += moved;
  }

  private void noteStored(StagedBlocks staged) {
    if (stored != null) {
      for (int i = 0; i < staged.blocks(); i++) {
        stored.set(staged.slot(i));
      }
    }
  }

  /**
   * Moves blocks that were not stored out of nearly empty regions, as a checkpoint does on its way
   * through memory: those of a {@linkplain #copy copy}, or those {@linkplain #keepUnseen kept
   * unseen}. They are copied as they lie in the file; digests are not looked at.
   */
  public void moveClean(StagedBlocks staged) throws IOException {
    if (victims.isEmpty()) {
      return;
    }
    staged.clear();
    for (DatasetEntry entry : datasets.values()) {
      for (int block = 0; block < entry.blocks(); block++) {
        moveIfVictim(entry, block, staged);
      }
    }
    store(staged, staged.blocks());
    staged.clear();
  }

  private void moveIfVictim(DatasetEntry entry, int block, StagedBlocks staged) throws IOException {
    int slot = entry.slotOf(block);
    long place = container.map().place(slot);
    int how = container.map().stored(slot);
    int length = BlockMap.storedLength(how);
    if (stored == null
        || stored.get(slot)
        || place < 0
        || !container.space().touches(victims, place, length)) {
      return;
    }
    if (staged.room() < length) {
      store(staged, staged.blocks());
      staged.clear();
    }
    container.file().read(place, staged.memory().asSlice(staged.used(), length));
    long low = container.map().low(slot);
    long high = container.map().high(slot);
    if (BlockMap.storedCodec(how) == 0) {
      staged.addRaw(slot, length, low, high);
    } else {
      staged.addCoded(slot, entry.blockLength(block), BlockMap.storedCodec(how), length, low, high);
    }
  }

  /**
   * Lets the medium begin with what has been stored so far. May run beside {@link #store}, but must
   * have ended before {@link #publish} or {@link #abort}. If it fails the commit must be aborted.
   */
  public void forceEarly() throws IOException {
    container.forceEarly();
  }

  private Space.Extent extentFor(StagedBlocks staged, int block, long position) {
    long left = staged.used() - position;
    if (left == 0) {
      return new Space.Extent(0, 0);
    }
    int first = block;
    while (staged.isZero(first)) {
      first++;
    }
    return container.space().take(left, staged.storedLength(first));
  }

  /** The first block that does not fit into {@code length} bytes any more. */
  private static int cut(StagedBlocks staged, int from, long length) {
    long fits = length;
    int block = from;
    while (block < staged.blocks() && staged.storedLength(block) <= fits) {
      fits -= staged.storedLength(block);
      block++;
    }
    return block;
  }

  private long note(StagedBlocks staged, int from, int to, long offset) {
    long place = offset;
    for (int i = from; i < to; i++) {
      if (staged.isZero(i)) {
        delta.zeros(staged.slot(i), 1, staged.length(i));
      } else {
        delta.block(
            staged.slot(i),
            staged.length(i),
            staged.stored(i),
            place,
            staged.low(i),
            staged.high(i));
        place += staged.storedLength(i);
      }
    }
    return place - offset;
  }

  /** Makes the version durable. Datasets that were not added are no longer part of the state. */
  public VersionInfo publish() throws IOException {
    ensureOpen();
    if (!copied) {
      releaseAbsent();
    } else {
      releaseUncopied();
    }
    released.describe(delta);
    Container.Pending pending =
        new Container.Pending(
            id,
            tiers,
            takenAt,
            new Catalog(datasets),
            released.all(),
            copied,
            expected,
            delta.finish(),
            blocks,
            dirtyBlocks,
            dataBytes,
            dirtyBytes());
    VersionInfo info = container.publish(pending);
    ended = true;
    container.ended(null);
    return info;
  }

  private void releaseAbsent() {
    for (DatasetEntry before : container.baseCatalog().datasets()) {
      if (!datasets.containsKey(before.name())) {
        released.add(before.slots());
      }
    }
  }

  /** In a copy a slot may have gone from one dataset to another; what no dataset has is free. */
  private void releaseUncopied() {
    BitSet used = new BitSet();
    datasets.values().forEach(entry -> entry.slots().forEach(used::set));
    BitSet unused = new BitSet();
    container.baseCatalog().datasets().forEach(entry -> entry.slots().forEach(unused::set));
    unused.andNot(used);
    for (int first = unused.nextSetBit(0); first >= 0; ) {
      int end = unused.nextClearBit(first);
      released.add(SlotRuns.NONE.plus(first, end - first));
      first = unused.nextSetBit(end);
    }
  }

  /** About how much was written because it had changed. */
  private long dirtyBytes() {
    long written = dirtyBlocks + movedBlocks;
    return written == 0 ? 0 : (long) ((double) dataBytes * dirtyBlocks / written);
  }

  /** Leaves the container as it was before this commit. Aborting an ended commit does nothing. */
  public void abort() {
    if (!ended) {
      ended = true;
      container.ended(mark);
    }
  }

  /** How many blocks of the new version there are. */
  public long blocks() {
    return blocks;
  }

  /** How many blocks were written because they changed or are new. */
  public long dirtyBlocks() {
    return dirtyBlocks;
  }

  /** How many clean blocks were moved to keep free space in large pieces. */
  public long movedBlocks() {
    return movedBlocks;
  }

  /** How many bytes of blocks were written. */
  public long dataBytes() {
    return dataBytes;
  }

  private void ensureOpen() {
    if (ended) {
      throw new IllegalStateException("the commit of version " + id + " has ended");
    }
  }
}
