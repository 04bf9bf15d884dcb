// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.parity;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.cairn.codec.Codec;
import org.cairn.container.BlockReader;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.DatasetEntry;
import org.cairn.container.DatasetPlan;
import org.cairn.container.DatasetSpec;
import org.cairn.container.ElementType;
import org.cairn.container.StagedBlocks;
import org.cairn.container.VersionInfo;
import org.cairn.container.VersionView;
import org.cairn.erasure.ReedSolomon;
import org.cairn.erasure.Regions;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.HashAlgorithm;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Makes the next version of a member's parity: old parity plus the multiples of what others send.
 * Blocks that nothing is sent for stay as they are in the base; without one, they are zero.
 */
final class ParityWriter implements Exchange.Sink, AutoCloseable {
  static final String PARITY = "parity";

  private static final int BLOCK = Stripes.GRAIN;
  private static final int SMALL_BLOCK = 4 << 10;
  private static final int STAGE_BYTES = 1 << 20;

  private final Stripes stripes;
  private final int me;
  private final ReedSolomon code;
  private final Commit commit;
  private final DatasetPlan plan;
  private final @Nullable DatasetEntry old;
  private final @Nullable VersionView base;
  private final @Nullable BlockReader oldReader;
  private final Arena arena = Supply.sharedArena();
  private final MemorySegment window;
  private final StagedBlocks staged = new StagedBlocks(arena.allocate(STAGE_BYTES, 64));
  private final BlockHasher hasher = HashAlgorithm.XXH3_128.hasher();
  private final long[] digest = new long[2];
  private final BitSet touched = new BitSet();
  private final BitSet seen = new BitSet();
  private int firstBlock;

  /**
   * Begins a version.
   *
   * @param container has been made to continue the right version
   * @param base the parity that what is sent is a difference to; null if to nothing
   */
  ParityWriter(
      Container container,
      VersionInfo version,
      @Nullable VersionView base,
      Stripes stripes,
      long rows,
      int me)
      throws IOException {
    this.stripes = stripes;
    this.me = me;
    this.code = new ReedSolomon(stripes.data(), stripes.parity());
    this.window = arena.allocate(stripes.windowBytes(true), 64);
    Optional<DatasetEntry> before = base == null ? Optional.empty() : base.find(PARITY);
    this.base = base;
    this.old = before.orElse(null);
    this.oldReader = base == null ? null : new BlockReader(base);
    this.commit = container.beginInstead(version.id(), version.takenAt());
    commit.tiers(version.tiers());
    commit.label(version.label());
    commit.keepUnseen();
    this.plan = commit.plan(spec(PARITY, rows * stripes.parity() * stripes.unit(), BLOCK));
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
    if (touched.get(block)) {
      return;
    }
    touched.set(block);
    MemorySegment target = window.asSlice((long) block * BLOCK, BLOCK);
    if (old == null || base == null || oldReader == null || firstBlock + block >= old.blocks()) {
      target.fill((byte) 0);
      return;
    }
    try {
      target.copyFrom(oldReader.read(old, firstBlock + block));
    } catch (IOException e) {
      throw new DamagedBaseException(true, base.info().id(), e);
    }
  }

  @Override
  public void end(int number) throws IOException {
    for (int block = touched.nextSetBit(0); block >= 0; block = touched.nextSetBit(block + 1)) {
      seen.set(firstBlock + block);
      put(plan, firstBlock + block, window, (long) block * BLOCK);
    }
  }

  private void put(DatasetPlan target, int block, MemorySegment source, long from)
      throws IOException {
    int length = target.entry().blockLength(block);
    hasher.hash(source, from, length, length, digest, 0);
    if (target.isComparable(block) && target.isClean(block, digest[0], digest[1])) {
      return;
    }
    if (staged.room() < length) {
      store();
    }
    int slot = target.entry().slotOf(block);
    if (DatasetPlan.isZero(source, from, length)) {
      staged.addZero(slot, length);
    } else {
      MemorySegment.copy(source, from, staged.memory(), staged.used(), length);
      staged.addRaw(slot, length, digest[0], digest[1]);
    }
  }

  private void store() throws IOException {
    commit.store(staged, 0);
    staged.clear();
  }

  /** Blocks that nobody sent anything for, and that the base does not have. */
  private void zeroRest() throws IOException {
    int first = old == null ? 0 : old.blocks();
    int blocks = plan.entry().blocks();
    for (int block = seen.nextClearBit(first);
        block < blocks;
        block = seen.nextClearBit(block + 1)) {
      staged.addZero(plan.entry().slotOf(block), BLOCK);
    }
  }

  // Maps and the layout.

  void writeMap(int rank, MemberMap map) throws IOException {
    write(ParityFile.mapName(rank), map.bytes());
  }

  void writeLayout(ParityLayout layout) throws IOException {
    write(ParityLayout.DATASET, new ParityLayout.Placed(me, layout).write());
  }

  private void write(String name, byte[] bytes) throws IOException {
    DatasetPlan target = commit.plan(spec(name, bytes.length, SMALL_BLOCK));
    MemorySegment source = MemorySegment.ofArray(bytes);
    for (int block = 0; block < target.entry().blocks(); block++) {
      put(target, block, source, (long) block * SMALL_BLOCK);
    }
  }

  /** Writes what is left; after this nothing but {@link #publish} can fail. */
  void finish() throws IOException {
    zeroRest();
    store();
    commit.moveClean(staged);
  }

  void publish() throws IOException {
    commit.publish();
  }

  /** Leaves the container as it was, unless the version has been published. */
  @Override
  public void close() {
    commit.abort();
    if (oldReader != null) {
      oldReader.close();
    }
    arena.close();
  }
}
