// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.cairn.container.DatasetPlan;
import org.cairn.container.Incoming;
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
  /** There are two such buffers at most. */
  private static final int STAGE_BYTES = 2 << 20;

  private final MemberMap map;
  private final Runs runs;
  private final Incoming version;
  private final WriteBehind writing;
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

  private BlockAssembler(MemberMap map, Incoming version) {
    this.map = map;
    this.version = version;
    this.runs = Runs.ofAll(map.datasets(), map.space());
    this.blocksLeft = map.datasets().stream().mapToLong(DatasetEntry::blocks).sum();
    this.writing = new WriteBehind(version::store, STAGE_BYTES);
  }

  static BlockAssembler begin(MemberMap map, Incoming.Target target) throws IOException {
    Incoming version = target.begin(map.info(), map.datasets());
    try {
      return new BlockAssembler(map, version);
    } catch (RuntimeException | Error e) {
      version.abort();
      throw e;
    }
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
    StagedBlocks staged = writing.roomFor(length);
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

  /** Writes what is left. */
  void finish() throws IOException {
    writing.settle();
    if (blocksLeft != 0) {
      throw new IOException(
          "%d blocks of version %s are missing".formatted(blocksLeft, map.info().id()));
    }
  }

  void publish() throws IOException {
    version.publish();
  }

  @Override
  public void close() {
    writing.close();
    version.abort();
  }
}
