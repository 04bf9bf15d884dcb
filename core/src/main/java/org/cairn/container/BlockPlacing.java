// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Collection;
import java.util.Set;
import org.cairn.record.RecordWriter;
import org.cairn.version.BlockMap;
import org.cairn.version.DatasetEntry;
import org.cairn.version.MapRecord;

/**
 * The blocks of a version in the making: gives them places in free space, writes them there, and
 * notes what the map will say.
 */
final class BlockPlacing {
  /** Is told of a block that lies in the file otherwise than it was written. */
  interface BadBlocks {
    void found(DatasetEntry dataset, int block, BlockCheck.Expected expected, String wrong);
  }

  private final Holdings held;
  private final BadBlocks badBlocks;
  private final BitSet victims;
  private final MoveQuota quota;
  private final Set<Long> bad;
  private final MapRecord.Builder delta;

  /** The slots that were stored, if somebody wants to know which of the others to move. */
  private final BitSet stored = new BitSet();

  private boolean notesStored;
  private long dirtyBlocks;
  private long movedBlocks;
  private long dataBytes;

  BlockPlacing(Holdings held, BadBlocks badBlocks) {
    this.held = held;
    this.badBlocks = badBlocks;
    boolean tooLong = held.isTooLong();
    this.victims = held.space().victims(held.expectedDelta(), tooLong);
    this.quota = held.moves().next(!tooLong, Preparation.dueBaseBytes(held));
    this.bad = held.rot().places();
    this.delta = new MapRecord.Builder(held.writer().deltaBytes());
    delta.start(false);
  }

  /** What is known of the blocks of a dataset. */
  DatasetPlan plan(DatasetEntry entry, int comparable) {
    return new DatasetPlan(entry, held.map(), comparable, held.space(), victims, quota, bad);
  }

  /** Not if nothing is to be moved: a bit a slot is much where a file claims many. */
  void noteWhatIsStored() {
    notesStored = !victims.isEmpty();
  }

  /** Writes staged blocks; see {@link Commit#store}. */
  long store(StagedBlocks staged, int moved) throws IOException {
    int block = 0;
    long position = 0;
    long onTheirWay = 0;
    while (block < staged.blocks()) {
      Space.Extent extent = extentFor(staged, block, position);
      int end = cut(staged, block, extent.length());
      long length = note(staged, block, end, extent.offset());
      if (length > 0) {
        onTheirWay +=
            held.writer()
                .file()
                .writeLarge(extent.offset(), staged.memory().asSlice(position, length));
        held.recentBytes().wrote(staged, block, end, extent.offset(), length);
      }
      position += length;
      block = end;
    }
    noteStored(staged);
    dataBytes += position;
    dirtyBlocks += staged.blocks() - moved;
    movedBlocks += moved;
    return position - onTheirWay;
  }

  /** Notes that blocks are all zeros, in one step however many they are. */
  void storeZeros(DatasetEntry dataset, int first, int count) {
    int block = first;
    while (block < first + count) {
      int slot = dataset.slotOf(block);
      int run = Math.min(dataset.slots().contiguousFrom(block), first + count - block);
      // The last one may be shorter.
      int some = Math.clamp(dataset.blocks() - 1L - block, 1, run);
      delta.zeros(slot, some, dataset.blockLength(block));
      if (notesStored) {
        stored.set(slot, slot + some);
      }
      block += some;
    }
    dirtyBlocks += count;
  }

  private void noteStored(StagedBlocks staged) {
    if (notesStored) {
      for (int i = 0; i < staged.blocks(); i++) {
        stored.set(staged.slot(i));
      }
    }
  }

  /**
   * Moves blocks that were not stored out of nearly empty regions; see {@link Commit#moveClean}.
   */
  void moveClean(Collection<DatasetEntry> datasets, StagedBlocks staged) throws IOException {
    if (victims.isEmpty()) {
      return;
    }
    staged.clear();
    quota.changedAtLeast(dirtyBytes());
    try (BlockCheck check = new BlockCheck()) {
      for (DatasetEntry entry : datasets) {
        int block = 0;
        while (block < entry.blocks()) {
          int zeros = held.map().zerosFrom(entry, block);
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
    long place = held.map().place(slot);
    int how = held.map().stored(slot);
    int length = BlockMap.storedLength(how);
    if (!notesStored
        || stored.get(slot)
        || place < 0
        || bad.contains(place)
        || !held.space().touches(victims, place, length)
        || !quota.take(length)) {
      return;
    }
    if (staged.room() < length) {
      store(staged, staged.blocks());
      staged.clear();
    }
    long low = held.map().low(slot);
    long high = held.map().high(slot);
    BlockCheck.Expected expected =
        new BlockCheck.Expected(
            place, how, entry.blockLength(block), entry.spec().algorithm(), low, high);
    MemorySegment room = staged.memory().asSlice(staged.used(), length);
    String wrong = check.read(held.records(), expected, room);
    if (wrong != null) {
      badBlocks.found(entry, block, expected, wrong);
    } else if (BlockMap.storedCodec(how) == 0) {
      staged.addRaw(slot, length, low, high);
    } else {
      staged.addCoded(slot, entry.blockLength(block), BlockMap.storedCodec(how), length, low, high);
    }
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
    return held.space().take(left, staged.storedLength(first));
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

  /** The map record, with what other parts of the commit have said. */
  RecordWriter finish() {
    return delta.finish();
  }

  /** What is said of slots besides blocks goes here. */
  MapRecord.Visitor delta() {
    return delta;
  }

  /** About how much was written because it had changed. */
  long dirtyBytes() {
    long written = dirtyBlocks + movedBlocks;
    return written == 0 ? 0 : (long) ((double) dataBytes * dirtyBlocks / written);
  }

  long dirtyBlocks() {
    return dirtyBlocks;
  }

  long movedBlocks() {
    return movedBlocks;
  }

  long dataBytes() {
    return dataBytes;
  }
}
