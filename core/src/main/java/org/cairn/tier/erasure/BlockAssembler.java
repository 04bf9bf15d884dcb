// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.Hashers;
import org.cairn.hash.SecondOpinion;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;

/**
 * Makes a version again out of its byte space, which comes window by window. Blocks may lie in
 * several windows or extents; those wait until they are whole. Every block is verified.
 */
final class BlockAssembler implements AutoCloseable {
  private static final int STAGE_BYTES = 4 << 20;

  private final MemberMap map;
  private final Runs runs;
  private final Commit commit;
  private final Arena arena = Supply.sharedArena();
  private final StagedBlocks staged = new StagedBlocks(arena.allocate(STAGE_BYTES, 64));
  private final Map<Integer, Partial> waiting = new HashMap<>();
  private final long[] digest = new long[2];
  private long blocksLeft;

  /** A block of which not all has come. */
  private static final class Partial {
    final MemorySegment bytes;
    int missing;

    Partial(int length) {
      bytes = MemorySegment.ofArray(Supply.bytes(length));
      missing = length;
    }
  }

  BlockAssembler(MemberMap map, Container target) throws IOException {
    this.map = map;
    this.runs = Runs.ofAll(map.datasets(), map.space());
    this.blocksLeft = map.datasets().stream().mapToLong(DatasetEntry::blocks).sum();
    this.commit = target.begin(map.info().id(), map.info().takenAt());
    commit.copy(map.datasets(), map.info());
  }

  /** Takes the bytes from an address on. */
  void take(MemorySegment window, long start) throws IOException {
    runs.<IOException>forEachPart(
        start,
        start + window.byteSize(),
        (dataset, block, from, address, length) -> {
          if (length == dataset.blockLength(block)) {
            put(dataset, block, window, address - start);
          } else {
            add(dataset, block, from, window.asSlice(address - start, length));
          }
        });
  }

  private void add(DatasetEntry dataset, int block, int from, MemorySegment part)
      throws IOException {
    int slot = dataset.slotOf(block);
    Partial partial = waiting.computeIfAbsent(slot, _ -> new Partial(dataset.blockLength(block)));
    MemorySegment.copy(part, 0, partial.bytes, from, part.byteSize());
    partial.missing -= (int) part.byteSize();
    if (partial.missing == 0) {
      waiting.remove(slot);
      put(dataset, block, partial.bytes, 0);
    }
  }

  private void put(DatasetEntry dataset, int block, MemorySegment bytes, long at)
      throws IOException {
    int length = dataset.blockLength(block);
    if (staged.room() < length) {
      store();
    }
    if (map.isZero(dataset, block)) {
      refuseUnless(DatasetPlan.isZero(bytes, at, length), dataset, block);
      staged.addZero(dataset.slotOf(block), length);
    } else {
      Hashers.of(dataset.spec().algorithm()).hash(bytes, at, length, length, digest, 0);
      long low = map.low(dataset, block);
      long high = map.high(dataset, block);
      boolean same =
          digest[0] == low && digest[1] == high
              || SecondOpinion.isIntact(
                  dataset.spec().algorithm(), bytes, at, length, digest[0], digest[1], low, high);
      refuseUnless(same, dataset, block);
      MemorySegment.copy(bytes, at, staged.memory(), staged.used(), length);
      staged.addRaw(dataset.slotOf(block), length, low, high);
    }
    blocksLeft--;
  }

  private void refuseUnless(boolean same, DatasetEntry dataset, int block) throws IOException {
    if (!same) {
      throw new IOException(
          "block %d of \"%s\" of version %s was not rebuilt as it was"
              .formatted(block, dataset.name(), map.info().id()));
    }
  }

  private void store() throws IOException {
    commit.store(staged, 0);
    staged.clear();
  }

  /** Writes what is left. */
  void finish() throws IOException {
    store();
    if (blocksLeft != 0) {
      throw new IOException(
          "%d blocks of version %s are missing".formatted(blocksLeft, map.info().id()));
    }
  }

  void publish() throws IOException {
    commit.publish();
  }

  @Override
  public void close() {
    commit.abort();
    arena.close();
  }
}
