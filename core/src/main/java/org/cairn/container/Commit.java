// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.cairn.Label;
import org.cairn.record.Field;
import org.cairn.supply.Mutex;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.MapRecord;
import org.cairn.version.SlotOwners;
import org.cairn.version.SlotRuns;
import org.cairn.version.VersionFormat;
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
  private final VersionId id;
  private final Instant takenAt;
  private final Space.Mark mark;
  private final BitSet victims;
  private final Set<Long> bad;
  private final MapRecord.Builder delta;
  private final LinkedHashMap<String, DatasetEntry> datasets = new LinkedHashMap<>();
  private final SlotReleases released = new SlotReleases();
  private long blocks;
  private long dirtyBlocks;
  private long movedBlocks;
  private long dataBytes;
  private volatile State state = new Open();

  /** The slots that were stored, if somebody wants to know which of the others to move. */
  private @Nullable BitSet stored;

  /** Whether this is a copy. */
  private boolean copied;

  private @Nullable Expected expected;
  private List<Field> unknown = List.of();
  private int tiers;

  /** The root digest that a copy must come out with. */
  record Expected(long low, long high) {}

  /** Changes from ready on only under the lock of the container. */
  private sealed interface State {}

  private record Open() implements State {}

  private record Ready(Container.Prepared prepared) implements State {}

  private record Ended() implements State {}

  Commit(Container container, VersionId id, Instant takenAt) {
    this.container = container;
    this.id = id;
    this.takenAt = takenAt;
    this.mark = container.space().begin();
    this.victims = container.space().victims(container.lastDelta());
    this.bad = container.rot().places();
    this.delta = new MapRecord.Builder(container.deltaBytes());
    delta.start(false);
  }

  /** The identity of the version. */
  public VersionId id() {
    return id;
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
    if (datasets.containsKey(spec.name())) {
      throw new IllegalStateException("dataset \"" + spec.name() + "\" was added before");
    }
    refuseDatasets(datasets.size() + 1);
    if (spec.blocks() > VersionFormat.MAX_SLOTS) {
      throw new IllegalArgumentException(
          "dataset \"%s\" has %d blocks; choose a larger block size"
              .formatted(spec.name(), spec.blocks()));
    }
    DatasetEntry before = container.baseCatalog().find(spec.name());
    DatasetEntry entry =
        new DatasetEntry(spec, slotsFor(spec, before), unknownFields(spec, before));
    datasets.put(spec.name(), entry);
    blocks += entry.blocks();
    return new DatasetPlan(
        entry, container.map(), comparableBlocks(spec, before), container.space(), victims, bad);
  }

  private static void refuseDatasets(int count) {
    if (count > VersionFormat.MAX_DATASETS) {
      throw new IllegalArgumentException(
          "a version has at most %d datasets; put several into one"
              .formatted(VersionFormat.MAX_DATASETS));
    }
  }

  /** What a later release said of a dataset holds as long as the dataset is the same. */
  private static List<Field> unknownFields(DatasetSpec spec, @Nullable DatasetEntry before) {
    return before != null && before.spec().equals(spec) ? before.unknown() : List.of();
  }

  /**
   * Makes this a copy of a version of another container: the same datasets in the same slots. What
   * differs from the version it continues must be stored, the rest stays. If the outcome is not
   * what {@code original} says, {@link #ready} and {@link #publish} refuse.
   */
  public void copy(Collection<DatasetEntry> entries, VersionInfo original) {
    ensureOpen();
    if (!datasets.isEmpty()) {
      throw new IllegalStateException("datasets were added before");
    }
    refuseDatasets(entries.size());
    for (DatasetEntry entry : entries) {
      datasets.put(entry.name(), entry);
      blocks += entry.blocks();
    }
    copied = true;
    noteWhatIsStored();
    tiers = original.tiers();
    unknown = original.unknown();
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
    noteWhatIsStored();
  }

  /** Not if nothing is to be moved: a bit a slot is much where a file claims many. */
  private void noteWhatIsStored() {
    stored = victims.isEmpty() ? null : new BitSet();
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

  /** Notes that blocks are all zeros, in one step however many they are. */
  public void storeZeros(DatasetEntry dataset, int first, int count) {
    ensureOpen();
    int block = first;
    while (block < first + count) {
      int slot = dataset.slotOf(block);
      int run = Math.min(dataset.slots().contiguousFrom(block), first + count - block);
      // The last one may be shorter.
      int some = Math.clamp(dataset.blocks() - 1L - block, 1, run);
      delta.zeros(slot, some, dataset.blockLength(block));
      if (stored != null) {
        stored.set(slot, slot + some);
      }
      block += some;
    }
    dirtyBlocks += count;
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
   * unseen}. They are copied as they lie in the file, if they are as they were written; what has
   * rotted stays where it is, and the container knows of it.
   */
  public void moveClean(StagedBlocks staged) throws IOException {
    if (victims.isEmpty()) {
      return;
    }
    staged.clear();
    try (BlockCheck check = new BlockCheck()) {
      for (DatasetEntry entry : datasets.values()) {
        int block = 0;
        while (block < entry.blocks()) {
          int zeros = container.map().zerosFrom(entry, block);
          if (zeros == 0) {
            moveIfVictim(entry, block, staged, check);
          }
          block += Math.max(1, zeros);
        }
      }
    }
    store(staged, staged.blocks());
    staged.clear();
  }

  private void moveIfVictim(DatasetEntry entry, int block, StagedBlocks staged, BlockCheck check)
      throws IOException {
    int slot = entry.slotOf(block);
    long place = container.map().place(slot);
    int how = container.map().stored(slot);
    int length = BlockMap.storedLength(how);
    if (stored == null
        || stored.get(slot)
        || place < 0
        || bad.contains(place)
        || !container.space().touches(victims, place, length)) {
      return;
    }
    if (staged.room() < length) {
      store(staged, staged.blocks());
      staged.clear();
    }
    long low = container.map().low(slot);
    long high = container.map().high(slot);
    BlockCheck.Expected expected =
        new BlockCheck.Expected(
            place, how, entry.blockLength(block), entry.spec().algorithm(), low, high);
    MemorySegment room = staged.memory().asSlice(staged.used(), length);
    String wrong = check.read(container.records(), expected, room);
    if (wrong != null) {
      container.foundBad(entry, block, expected, wrong);
    } else if (BlockMap.storedCodec(how) == 0) {
      staged.addRaw(slot, length, low, high);
    } else {
      staged.addCoded(slot, entry.blockLength(block), BlockMap.storedCodec(how), length, low, high);
    }
  }

  /**
   * Lets the medium begin with what has been stored so far. May run beside {@link #store}, but must
   * have ended before {@link #ready}, {@link #publish} or {@link #abort}. If it fails the commit
   * must be aborted.
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

  private Container.Prepared prepared() throws IOException {
    if (state instanceof Ready ready) {
      return ready.prepared;
    }
    ensureOpen();
    Container.Prepared prepared = container.prepare(pending());
    state = new Ready(prepared);
    return prepared;
  }

  private Container.Pending pending() {
    if (!copied) {
      releaseAbsent();
    } else {
      releaseUncopied();
    }
    released.describe(delta);
    return new Container.Pending(
        id,
        tiers,
        takenAt,
        new Catalog(datasets),
        released.all(),
        copied,
        expected,
        unknown,
        delta.finish(),
        blocks,
        dirtyBlocks,
        dataBytes,
        dirtyBytes());
  }

  /**
   * Makes the version durable: {@link #ready} if that was not done before, then the superblock.
   *
   * @throws IllegalStateException if the commit was given up before
   */
  public VersionInfo publish() throws IOException {
    try (Mutex.Held _ = container.hold()) {
      Container.Prepared prepared = prepared();
      container.publish(prepared);
      state = new Ended();
      container.ended(null);
      container.mendAfterCommit();
      return prepared.info();
    }
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
    SlotOwners owners = SlotOwners.of(new Catalog(datasets));
    for (DatasetEntry before : container.baseCatalog().datasets()) {
      before.slots().forEach((from, to) -> releaseUnowned(owners, from, to));
    }
  }

  private void releaseUnowned(SlotOwners owners, int from, int to) {
    int slot = from;
    while (slot < to) {
      int some = Math.min(owners.sameFrom(slot), to - slot);
      if (!owners.find(slot)) {
        released.add(SlotRuns.NONE.plus(slot, some));
      }
      slot += some;
    }
  }

  /** About how much was written because it had changed. */
  private long dirtyBytes() {
    long written = dirtyBlocks + movedBlocks;
    return written == 0 ? 0 : (long) ((double) dataBytes * dirtyBlocks / written);
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
      state = new Ended();
      container.ended(mark);
      return true;
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
    switch (state) {
      case Open open -> {}
      case Ready ready ->
          throw new IllegalStateException("the commit of version " + id + " is ready already");
      case Ended ended ->
          throw new IllegalStateException("the commit of version " + id + " has ended");
    }
  }
}
