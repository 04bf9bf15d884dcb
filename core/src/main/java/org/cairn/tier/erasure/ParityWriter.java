// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.container.VersionView;
import org.cairn.erasure.ReedSolomon;
import org.cairn.erasure.Regions;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetSpec;
import org.cairn.version.SlotOwners;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Makes the next version of a member's parity: old parity plus the multiples of what others send.
 * Blocks that nothing is sent for stay as they are in the base; without one, they are zero.
 */
final class ParityWriter implements Share {
  static final String PARITY = "parity";

  private static final int BLOCK = Stripes.GRAIN;
  private static final int SMALL_BLOCK = DigestPages.PAGE_BYTES;

  /** There are two such buffers at most. */
  private static final int STAGE_BYTES = 1 << 20;

  private final Stripes stripes;
  private final int me;
  private final ReedSolomon code;
  private final Commit commit;
  private final DatasetPlan plan;
  private final @Nullable BaseShare base;
  private final Arena arena = Supply.sharedArena();
  private final MemorySegment window;
  private final WriteBehind writing;
  private final BlockHasher hasher = Hashers.of(HashAlgorithm.XXH3_128);
  private final long[] digest = new long[2];
  private final BitSet touched = new BitSet();
  private final BitSet seen = new BitSet();
  private int firstBlock;

  private ParityWriter(
      Commit commit, @Nullable BaseShare base, Stripes stripes, long rows, int me) {
    this.commit = commit;
    this.base = base;
    this.stripes = stripes;
    this.me = me;
    this.code = new ReedSolomon(stripes.data(), stripes.parity());
    this.window = arena.allocate(stripes.windowBytes(true, rows), 64);
    this.plan = commit.plan(spec(PARITY, rows * stripes.parity() * stripes.unit(), BLOCK));
    this.writing = new WriteBehind(staged -> commit.store(staged, 0), STAGE_BYTES);
  }

  /**
   * Begins a version.
   *
   * @param container has been made to continue the right version
   * @param base the share that what is sent is a difference to; null if to nothing
   */
  static Share begin(
      Container container,
      VersionInfo version,
      @Nullable VersionView base,
      Stripes stripes,
      long rows,
      int me)
      throws IOException {
    Commit commit = container.beginInstead(version.id(), version.takenAt());
    try {
      commit.tiers(version.tiers());
      commit.label(version.label());
      commit.keepUnseen();
      BaseShare share = base == null ? null : new BaseShare(base);
      return new ParityWriter(commit, share, stripes, rows, me);
    } catch (Throwable e) {
      // An open commit would be in the way of all others.
      commit.abort();
      throw e;
    }
  }

  private static DatasetSpec spec(String name, long bytes, int blockSize) {
    return new DatasetSpec(
        name,
        ElementType.OPAQUE,
        List.of(bytes),
        bytes,
        blockSize,
        HashAlgorithm.XXH3_128,
        Codec.NONE);
  }

  // Parity.

  @Override
  public void begin(int number) {
    touched.clear();
    firstBlock = Math.toIntExact((long) number * window.byteSize() / BLOCK);
  }

  @Override
  public void take(int member, int offset, MemorySegment message, long from, int length)
      throws IOException {
    int stripe = stripes.stripeOfParity(me, offset / stripes.unit() % stripes.parity());
    if (stripes.isParity(member, stripe) || offset % stripes.unit() + length > stripes.unit()) {
      throw new IOException("member %d sent what does not belong here".formatted(member));
    }
    for (int block = offset / BLOCK; block <= (offset + length - 1) / BLOCK; block++) {
      load(block);
    }
    byte coefficient =
        code.coefficient(
            stripes.codeUnit(me, stripe) - stripes.data(), stripes.codeUnit(member, stripe));
    Regions.multiplyAdd(coefficient, message, from, window, offset, length);
  }

  private void load(int block) throws IOException {
    if (!touched.get(block)) {
      touched.set(block);
      MemorySegment target = window.asSlice((long) block * BLOCK, BLOCK);
      if (base == null) {
        target.fill((byte) 0);
      } else {
        base.load(PARITY, firstBlock + block, target);
      }
    }
  }

  @Override
  public void end(int number) throws IOException {
    for (int block = touched.nextSetBit(0); block >= 0; block = touched.nextSetBit(block + 1)) {
      seen.set(firstBlock + block);
      put(plan, firstBlock + block, window, (long) block * BLOCK);
    }
  }

  /** Stores a block if it changed. What is not built on may be damaged, and is written anew. */
  private void put(DatasetPlan target, int block, MemorySegment source, long from)
      throws IOException {
    int length = target.entry().blockLength(block);
    hasher.hash(source, from, length, length, digest, 0);
    if (base != null && target.isComparable(block) && target.isClean(block, digest[0], digest[1])) {
      return;
    }
    StagedBlocks staged = writing.roomFor(length);
    int slot = target.entry().slotOf(block);
    if (DatasetPlan.isZero(source, from, length)) {
      staged.addZero(slot, length);
    } else {
      MemorySegment.copy(source, from, staged.memory(), staged.used(), length);
      staged.addRaw(slot, length, digest[0], digest[1]);
    }
  }

  /** Blocks that nothing was put into, and that the base does not have. */
  private void zeroRest(DatasetPlan target, BitSet filled) throws IOException {
    StagedBlocks staged = writing.roomFor(0);
    int blocks = target.entry().blocks();
    int first = base == null ? 0 : base.blocks(target.entry().name());
    for (int block = filled.nextClearBit(first);
        block < blocks;
        block = filled.nextClearBit(block + 1)) {
      staged.addZero(target.entry().slotOf(block), target.entry().blockLength(block));
    }
  }

  // Maps and the layout.

  @Override
  public void takeMap(int rank, MapMessage message) throws IOException {
    write(ParityFile.headName(rank), MemorySegment.ofArray(message.head().bytes()));
    switch (message) {
      case MemberMap map -> {
        map.checked("the map of rank " + rank);
        write(ParityFile.mapName(rank), map.pages().memory());
      }
      case MapPatch patch when base != null -> patchMap(rank, patch, base);
      case MapPatch patch -> throw new IOException("nothing to apply %s to".formatted(patch));
    }
  }

  /** Reads and writes only the pages that a patch changes. */
  private void patchMap(int rank, MapPatch patch, BaseShare old) throws IOException {
    String name = ParityFile.mapName(rank);
    PatchCheck check = new PatchCheck(old.head(rank), patch.head());
    long bytes = DigestPages.bytes(SlotOwners.of(patch.head().datasets()).end());
    PageWriter pages = new PageWriter(old, plan(spec(name, bytes, SMALL_BLOCK)), check);
    patch.forEach(check.end(), "the map of rank " + rank, pages);
    pages.finish();
    if (!check.holds()) {
      throw old.damaged("the map of rank %d and %s do not go together".formatted(rank, patch));
    }
  }

  /** Changes pages one after the other, as a patch comes to them. */
  private final class PageWriter implements MapPatch.Visitor {
    private static final int NONE = -1;

    private final BaseShare old;
    private final DatasetPlan target;
    private final PatchCheck check;
    private final DigestPages page =
        new DigestPages(MemorySegment.ofArray(Supply.bytes(DigestPages.PAGE_BYTES)));
    private final BitSet filled = new BitSet();
    private int number = NONE;

    PageWriter(BaseShare old, DatasetPlan target, PatchCheck check) {
      this.old = old;
      this.target = target;
      this.check = check;
    }

    @Override
    public void released(int slot) throws IOException {
      int at = takeOut(slot);
      page.release(at);
      check.putIn(slot, page, at);
    }

    @Override
    public void zero(int slot) throws IOException {
      int at = takeOut(slot);
      page.zero(at);
      check.putIn(slot, page, at);
    }

    @Override
    public void block(int slot, long low, long high) throws IOException {
      int at = takeOut(slot);
      page.block(at, low, high);
      check.putIn(slot, page, at);
    }

    private int takeOut(int slot) throws IOException {
      int at = slot % DigestPages.SLOTS;
      if (DigestPages.pageOf(slot) != number) {
        turnTo(DigestPages.pageOf(slot));
      }
      check.takeOut(slot, page, at);
      return at;
    }

    private void turnTo(int next) throws IOException {
      store();
      number = next;
      old.load(target.entry().name(), number, page.memory());
    }

    private void store() throws IOException {
      // A map that has become shorter has no such page any more.
      if (number != NONE && number < target.entry().blocks()) {
        filled.set(number);
        put(target, number, page.memory(), 0);
      }
    }

    /** Stores the last page, and those that are new and have nothing in them. */
    void finish() throws IOException {
      store();
      number = NONE;
      zeroRest(target, filled);
    }
  }

  /** While nobody writes. */
  private DatasetPlan plan(DatasetSpec spec) throws IOException {
    writing.awaitWritten();
    return commit.plan(spec);
  }

  private void write(String name, MemorySegment bytes) throws IOException {
    DatasetPlan target = plan(spec(name, bytes.byteSize(), SMALL_BLOCK));
    for (int block = 0; block < target.entry().blocks(); block++) {
      put(target, block, bytes, (long) block * SMALL_BLOCK);
    }
  }

  @Override
  public void finish(ParityLayout layout) throws IOException {
    byte[] placed = new ParityLayout.Placed(me, layout).write();
    write(ParityLayout.DATASET, MemorySegment.ofArray(placed));
    zeroRest(plan, seen);
    commit.moveClean(writing.settle());
  }

  @Override
  public void publish() throws IOException {
    commit.publish();
  }

  @Override
  public void close() {
    writing.close();
    commit.abort();
    if (base != null) {
      base.close();
    }
    arena.close();
  }
}
