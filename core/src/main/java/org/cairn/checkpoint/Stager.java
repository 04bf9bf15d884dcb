// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import org.cairn.Codec;
import org.cairn.codec.BlockCodec;
import org.cairn.codec.LastCodec;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.Hashers;
import org.cairn.hash.SecondOpinion;
import org.cairn.store.StoreFile;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.jspecify.annotations.Nullable;

/**
 * What one worker does with a tile: hash all blocks, compare, copy those that must be written.
 * Belongs to one thread at a time and is reused for every checkpoint, so that steady work allocates
 * nothing.
 */
final class Stager {
  private final long[] digests = new long[2 * Tile.maxBlocks()];
  private final LastCodec codec = new LastCodec();
  private final long[] copyDigest = new long[2];

  /** Where blocks are copied to that are coded; grows to the largest. */
  private MemorySegment scratch = MemorySegment.NULL;

  /** What this worker fills at the moment; null between two that it hands over. */
  private @Nullable Batch batch;

  /** Blocks that would have been moved if it had been known that anything has changed. */
  private final List<Early> early = new ArrayList<>();

  /** A block that was looked at too early to be moved. */
  record Early(int tile, int block) {}

  long hashNanos;
  long copyNanos;

  /** How long it took to compare copies with what was hashed. */
  long compareNanos;

  long hashedBytes;
  long comparableBlocks;
  long changedBlocks;

  void reset() {
    hashNanos = 0;
    copyNanos = 0;
    compareNanos = 0;
    hashedBytes = 0;
    comparableBlocks = 0;
    changedBlocks = 0;
    early.clear();
  }

  /** Compares, and stages what changed, is new, or must be moved; all of it if {@code full}. */
  void stage(Tile tile, CheckpointRun run, boolean full, boolean verifies) {
    int block = tile.firstBlock();
    while (block < tile.endBlock()) {
      int end = block;
      while (end < tile.endBlock() && (full || verifies || mustSee(tile, end))) {
        end++;
      }
      if (end > block) {
        stage(tile, block, end, run, full);
      }
      block = end;
      while (block < tile.endBlock() && !(full || verifies || mustSee(tile, block))) {
        noteIfEarly(tile, block);
        comparableBlocks++;
        block++;
      }
    }
  }

  /** Whether a block must be looked at: nothing says that it is as it was, or it is to be moved. */
  private static boolean mustSee(Tile tile, int block) {
    return !tile.subject().isUnwritten(block) || tile.plan().mayMove(block);
  }

  private void stage(Tile tile, int first, int end, CheckpointRun run, boolean full) {
    long start = Supply.nanos();
    DatasetEntry entry = tile.plan().entry();
    long length = tile.offset(end - 1) + entry.blockLength(end - 1) - tile.offset(first);
    Hashers.of(entry.spec().algorithm())
        .hash(tile.bytes(), tile.offset(first), length, entry.spec().blockSize(), digests, 0);
    run.hashed(tile.plan(), first, end - first, digests);
    long hashed = Supply.nanos();
    for (int i = 0; i < end - first; i++) {
      considerBlock(tile, first + i, digests[2 * i], digests[2 * i + 1], run, full);
      if (!full) {
        noteIfEarly(tile, first + i);
      }
    }
    hashNanos += hashed - start;
    copyNanos += Supply.nanos() - hashed;
    hashedBytes += length;
    tile.subject().countHashed(length, hashed - start);
  }

  /** What is in a window is gone when it could be moved, and counted otherwise. */
  private void noteIfEarly(Tile tile, int block) {
    if (!tile.isOfWindow() && tile.plan().waitsToMove(block)) {
      early.add(new Early(tile.index(), block));
    }
  }

  /** Gives away which blocks were looked at too early to be moved. */
  List<Early> takeEarly() {
    List<Early> taken = List.copyOf(early);
    early.clear();
    return taken;
  }

  /** Moves a block that was looked at too early, if anything has changed by now. */
  void stageEarly(Tile tile, int block, CheckpointRun run) {
    if (tile.plan().mayMove(block)) {
      stage(tile, block, block + 1, run, false);
    }
  }

  /** The same of blocks whose digests are known. */
  void stageHashed(Tile tile, long[] digests, CheckpointRun run, boolean full) {
    long start = Supply.nanos();
    for (int block = tile.firstBlock(); block < tile.endBlock(); block++) {
      considerBlock(tile, block, digests[2 * block], digests[2 * block + 1], run, full);
    }
    copyNanos += Supply.nanos() - start;
  }

  /** Stages a block of a tile if its digest, which is known, says so. */
  void considerBlock(Tile tile, int block, long low, long high, CheckpointRun run, boolean full) {
    DatasetPlan plan = tile.plan();
    boolean clean = isClean(plan, block, low, high);
    if (!clean) {
      requireWritten(tile, block, low, high, run);
      tile.subject().countChanged(plan.entry().blockLength(block));
      plan.changed(block);
    }
    if (clean && !full && !plan.takeToMove(block)) {
      return;
    }
    StagedBlocks staged = put(tile, block, run);
    if (clean) {
      current(run).countMoved();
    }
    finish(tile, block, staged, run, low, high);
  }

  private boolean isClean(DatasetPlan plan, int block, long low, long high) {
    if (!plan.isComparable(block)) {
      return false;
    }
    boolean clean = plan.isClean(block, low, high);
    comparableBlocks++;
    changedBlocks += clean ? 0 : 1;
    return clean;
  }

  /** What pages say is not written to has not changed, or they are not to be believed. */
  private static void requireWritten(Tile tile, int block, long low, long high, CheckpointRun run) {
    if (tile.subject().isUnwritten(block) && !isIntact(tile, block, low, high)) {
      throw run.writtenUnseen(tile.plan(), block);
    }
  }

  private static boolean isIntact(Tile tile, int block, long low, long high) {
    DatasetEntry entry = tile.plan().entry();
    long[] saved = tile.plan().savedDigest(block);
    return SecondOpinion.isIntact(
        entry.spec().algorithm(),
        tile.bytes(),
        tile.offset(block),
        entry.blockLength(block),
        low,
        high,
        saved[0],
        saved[1]);
  }

  /** Makes room for a block. */
  private StagedBlocks put(Tile tile, int block, CheckpointRun run) {
    int length = tile.plan().entry().blockLength(block);
    Codec wanted = tile.plan().entry().spec().codec();
    long room = wanted == Codec.NONE ? length : coder(wanted).maxCompressedLength(length);
    Batch mine = current(run);
    if (mine.blocks().room() < Math.max(room, length)) {
      handOver(run);
      mine = current(run);
    }
    return mine.blocks();
  }

  private void finish(
      Tile tile, int block, StagedBlocks staged, CheckpointRun run, long low, long high) {
    DatasetEntry entry = tile.plan().entry();
    int length = entry.blockLength(block);
    int slot = entry.slotOf(block);
    long offset = tile.offset(block);
    if (DatasetPlan.isZero(tile.bytes(), offset, length)) {
      if (!tile.plan().isZeroDigest(block, low, high)) {
        throw changed(tile.plan(), block);
      }
      staged.addZero(slot, length);
    } else if (entry.spec().codec() != Codec.NONE) {
      code(tile, block, staged, low, high);
    } else {
      current(run).noteRaw(tile.plan(), block, true);
      MemorySegment.copy(tile.bytes(), offset, staged.memory(), staged.used(), length);
      staged.addRaw(slot, length, low, high);
    }
  }

  /**
   * Codes a copy of a block, which is looked at here: of what is coded the writer could not tell
   * what it was, and one writer would take longer to code than all of the crew.
   */
  private void code(Tile tile, int block, StagedBlocks staged, long low, long high) {
    DatasetEntry entry = tile.plan().entry();
    int length = entry.blockLength(block);
    int slot = entry.slotOf(block);
    MemorySegment copy = scratch(length);
    MemorySegment.copy(tile.bytes(), tile.offset(block), copy, 0, length);
    Hashers.of(entry.spec().algorithm()).hash(copy, 0, length, length, copyDigest, 0);
    if ((copyDigest[0] != low || copyDigest[1] != high)
        && !SecondOpinion.isIntact(
            entry.spec().algorithm(), copy, 0, length, copyDigest[0], copyDigest[1], low, high)) {
      throw changed(tile.plan(), block);
    }
    Codec wanted = entry.spec().codec();
    int coded =
        coder(wanted).compress(copy, 0, length, staged.memory(), staged.used(), staged.room());
    if (coded >= 0 && coded < length) {
      staged.addCoded(slot, length, wanted.id(), coded, low, high);
    } else {
      MemorySegment.copy(copy, 0, staged.memory(), staged.used(), length);
      staged.addRaw(slot, length, low, high);
    }
  }

  private MemorySegment scratch(int length) {
    if (scratch.byteSize() < length) {
      scratch = Supply.autoArena().allocate(length, 64);
    }
    return scratch;
  }

  /** That a block was not the same when it was copied as when it was hashed. */
  static ConcurrentModificationException changed(DatasetPlan plan, int block) {
    return new ConcurrentModificationException(
        "block %d of dataset \"%s\" changed while it was saved: protected memory must be left alone until checkpoint() returns"
            .formatted(block, plan.entry().name()));
  }

  /**
   * Stages a whole tile without looking at it: the writer computes the digests from the copies, and
   * the program need not wait for that.
   */
  void stageUndigested(Tile tile, CheckpointRun run) {
    long start = Supply.nanos();
    int block = tile.firstBlock();
    while (block < tile.endBlock()) {
      block = stageSome(tile, block, run);
    }
    copyNanos += Supply.nanos() - start;
  }

  /** Stages blocks until one is zero or the batch is full; gives the block to go on with. */
  private int stageSome(Tile tile, int from, CheckpointRun run) {
    DatasetEntry entry = tile.plan().entry();
    if (current(run).blocks().room() < entry.blockLength(from)) {
      handOver(run);
    }
    Batch mine = current(run);
    StagedBlocks staged = mine.blocks();
    int block = from;
    while (block < tile.endBlock()
        && staged.room() >= entry.blockLength(block)
        && !DatasetPlan.isZero(tile.bytes(), tile.offset(block), entry.blockLength(block))) {
      int length = entry.blockLength(block);
      mine.noteRaw(tile.plan(), block, false);
      MemorySegment.copy(tile.bytes(), tile.offset(block), staged.memory(), staged.used(), length);
      staged.addRaw(entry.slotOf(block), length, 0, 0);
      block++;
    }
    if (block > from) {
      return block;
    }
    staged.addZero(entry.slotOf(block), entry.blockLength(block));
    return block + 1;
  }

  private Batch current(CheckpointRun run) {
    Batch mine = batch;
    if (mine == null) {
      mine = run.takeBatch();
      batch = mine;
    }
    return mine;
  }

  /**
   * Passes what is staged on to a writer that has nothing to do: what it writes meanwhile nobody
   * waits for in the end.
   */
  void feedWriter(CheckpointRun run) {
    Batch mine = batch;
    if (mine != null && mine.blocks().used() >= StoreFile.LARGE && run.isWriterIdle()) {
      handOver(run);
    }
  }

  /** Passes what is staged on to the writer. */
  void handOver(CheckpointRun run) {
    Batch mine = batch;
    batch = null;
    if (mine != null) {
      compare(mine, run);
      run.giveToWriter(mine);
    }
  }

  /**
   * Copies are compared where they were made, and all of the crew does that while the writer has
   * enough to do; a writer that waits compares them itself, and so does one whom the program does
   * not wait for.
   */
  private void compare(Batch mine, CheckpointRun run) {
    if (run.isWriterToCompare() || !run.goesOn()) {
      return;
    }
    Supply.step("digest");
    long start = Supply.nanos();
    try {
      CopyCheck.requireUnchanged(mine);
    } catch (RuntimeException | Error e) {
      run.fail(e); // the buffer goes to the writer all the same, which gives it back
    }
    compareNanos += Supply.nanos() - start;
  }

  private BlockCodec coder(Codec wanted) {
    return codec.of(wanted.id());
  }

  void close() {
    codec.close();
  }
}
