// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.cairn.frame.EncodingLine;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.FramePlan;
import org.cairn.frame.TypedBytes;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;

/**
 * Frames of blocks that one rank alone has. Blocks are fetched in the order in which they were
 * added, and lie in a frame in that of datasets and blocks, since what follows each other in an
 * array is most alike. For one thread; others encode.
 */
final class OwnFrames implements AutoCloseable {
  private final List<DatasetEntry> datasets;
  private final List<TypedDataset> types;
  private final Framing framing;
  private final Fetch fetch;
  private final FrameSink sink;
  private final EncodingLine line;
  private final long room;

  /** Frames that were given away: how many bytes are in each, and how many it takes. */
  private final List<FrameInfo> frames = new ArrayList<>();

  private final PlacedBlocks placed = new PlacedBlocks();

  /** Whose addresses are asked for, and what they are. */
  private final BitSet lent;

  private final Map<Integer, Long> lentAddresses = new HashMap<>();

  /** The address of the frame at hand, counted from the first of this rank. */
  private long address;

  // The frame at hand: for each block dataset << 32 | block, how it is fetched, and its ordinal.
  private long[] keys = new long[64];
  private int[] ordinals = new int[64];
  private final BitSet moved = new BitSet();
  private int count;
  private long bytes;

  /** Gets a block. */
  interface Fetch {
    /** The block itself; valid until the next call. */
    MemorySegment plain(int dataset, int block, boolean moves) throws IOException;
  }

  /**
   * Frames of blocks.
   *
   * @param most how many bytes of blocks will come, as far as that is known
   * @param lent the ordinals of blocks whose addresses are asked for
   * @param sink takes frames in the order of their addresses
   */
  OwnFrames(
      List<DatasetEntry> datasets,
      List<TypedDataset> types,
      Framing framing,
      long most,
      BitSet lent,
      Fetch fetch,
      FrameSink sink) {
    this.datasets = datasets;
    this.types = types;
    this.framing = framing;
    this.fetch = fetch;
    this.sink = sink;
    this.lent = lent;
    int largest = types.stream().mapToInt(TypedDataset::blockSize).max().orElse(1);
    this.room = Math.max(largest, Math.min(most, framing.frame()));
    this.line = framing.line(room);
  }

  /**
   * Adds a block that is not zeros.
   *
   * @param ordinal its place in the rank's order, or -1
   */
  void add(int dataset, int block, boolean moves, int ordinal) throws IOException {
    int length = datasets.get(dataset).blockLength(block);
    if (bytes + length > room) {
      endFrame();
    }
    if (count == keys.length) {
      keys = Supply.copy(keys, 2 * count);
      int[] more = Supply.ints(2 * count);
      System.arraycopy(ordinals, 0, more, 0, count);
      ordinals = more;
    }
    keys[count] = (long) dataset << 32 | block;
    ordinals[count] = ordinal;
    moved.set(count, moves);
    count++;
    bytes += length;
  }

  private static int dataset(long key) {
    return (int) (key >>> 32);
  }

  private static int block(long key) {
    return (int) key;
  }

  private int length(long key) {
    return datasets.get(dataset(key)).blockLength(block(key));
  }

  /** Fetches the blocks of the frame at hand, and lets it be encoded. */
  private void endFrame() throws IOException {
    if (count == 0) {
      return;
    }
    long[] sorted = Arrays.copyOf(keys, count);
    Arrays.sort(sorted);
    long[] offsets = new long[count + 1];
    for (int i = 0; i < count; i++) {
      offsets[i + 1] = offsets[i] + length(sorted[i]);
    }
    MemorySegment memory = line.memory();
    for (int i = 0; i < count; i++) {
      int at = Arrays.binarySearch(sorted, keys[i]);
      MemorySegment plain = fetch.plain(dataset(keys[i]), block(keys[i]), moved.get(i));
      MemorySegment.copy(plain, 0, memory, offsets[at], offsets[at + 1] - offsets[at]);
      if (ordinals[i] >= 0 && lent.get(ordinals[i])) {
        lentAddresses.put(ordinals[i], address + offsets[at]);
      }
    }
    encode(pieces(sorted, offsets, memory));
    address += bytes;
    count = 0;
    bytes = 0;
    moved.clear();
  }

  private List<TypedBytes> pieces(long[] sorted, long[] offsets, MemorySegment memory) {
    List<TypedBytes> pieces = new ArrayList<>();
    int first = 0;
    for (int i = 1; i <= sorted.length; i++) {
      if (i == sorted.length || sorted[i] != sorted[i - 1] + 1) {
        int dataset = dataset(sorted[first]);
        placed.add(dataset, block(sorted[first]), i - first, address + offsets[first]);
        MemorySegment run = memory.asSlice(offsets[first], offsets[i] - offsets[first]);
        pieces.add(types.get(dataset).piece(run));
        first = i;
      }
    }
    return pieces;
  }

  private void encode(List<TypedBytes> pieces) throws IOException {
    FramePlan plan = framing.planOwn(pieces);
    line.encode(
        plan.pieces(),
        plan.level(),
        (info, stored) -> {
          sink.take(info, plan.effort(), stored);
          framing.storedOwn(plan, info);
          frames.add(info);
        });
  }

  /** Gives away all that is left. */
  void end() throws IOException {
    endFrame();
    line.finish();
  }

  /** What was given away. */
  List<FrameInfo> frames() {
    return frames;
  }

  /** Where blocks lie, by addresses counted from this rank's first frame. */
  PlacedBlocks placed() {
    return placed;
  }

  /** The address of a block that others have, too. */
  long addressOf(int ordinal) {
    Long found = lentAddresses.get(ordinal);
    if (found == null) {
      throw new IllegalArgumentException("block " + ordinal + " was not given away");
    }
    return found;
  }

  @Override
  public void close() {
    line.close();
  }
}
