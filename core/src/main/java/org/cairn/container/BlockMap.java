// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Arrays;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Slot → place, stored length, codec and digest of one version.
 *
 * <p>Takes 24 bytes a slot where neighbouring blocks are of one stored length, 28 otherwise. Chunks
 * that are wholly absent or wholly zero take nothing, so that a file cannot make a reader allocate
 * what it merely claims.
 *
 * <p>Many threads may read while nobody changes the map.
 */
final class BlockMap implements MapRecord.Visitor {
  /** The place of a slot that no dataset uses. */
  static final long ABSENT = -1;

  /** The place of a block of zeros, of which nothing is stored. */
  static final long ZERO = -2;

  private static final int CHUNK_BITS = 12;
  private static final int CHUNK_SLOTS = 1 << CHUNK_BITS;
  private static final int CHUNK_MASK = CHUNK_SLOTS - 1;

  /** A chunk is made of leaves, so that a lone slot somewhere does not cost a chunk of memory. */
  private static final int LEAF_BITS = 6;

  private static final int LEAF_SLOTS = 1 << LEAF_BITS;
  private static final int LEAF_MASK = LEAF_SLOTS - 1;
  private static final int LEAVES = CHUNK_SLOTS / LEAF_SLOTS;

  private static final int LENGTH_BITS = 24;
  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

  private @Nullable Chunk[] chunks = new Chunk[1];

  /** A stored length and the codec it was made with, as one number. */
  static int stored(int codec, int length) {
    return codec << LENGTH_BITS | length;
  }

  static int storedLength(int stored) {
    return stored & LENGTH_MASK;
  }

  static int storedCodec(int stored) {
    return stored >>> LENGTH_BITS;
  }

  /** Slots of one place, absent or zero, and one length; but for those that are in leaves. */
  private static final class Chunk {
    final long everywhere;
    final int length;

    /** Null if there is no leaf: then the chunk never changes, and may stand for many. */
    @Nullable Leaf @Nullable [] leaves;

    Chunk(long everywhere, int length) {
      this.everywhere = everywhere;
      this.length = length;
    }

    @Nullable Leaf leaf(int index) {
      return leaves == null ? null : leaves[index >>> LEAF_BITS];
    }

    Leaf leafToChange(int index) {
      if (leaves == null) {
        leaves = new Leaf[LEAVES];
      }
      Leaf leaf = leaves[index >>> LEAF_BITS];
      if (leaf == null) {
        leaf = new Leaf(everywhere, length);
        leaves[index >>> LEAF_BITS] = leaf;
      }
      return leaf;
    }
  }

  private static final class Leaf {
    final long[] places = Supply.longs(LEAF_SLOTS);
    final long[] digests = Supply.longs(2 * LEAF_SLOTS);

    /** Null if all slots have the stored length {@code common}. */
    int @Nullable [] lengths;

    int common;

    Leaf(long place, int length) {
      Arrays.fill(places, place);
      common = length;
    }

    void set(int index, long place, int stored, long low, long high) {
      places[index] = place;
      digests[2 * index] = low;
      digests[2 * index + 1] = high;
      setLength(index, stored);
    }

    private void setLength(int index, int stored) {
      if (lengths == null) {
        if (common == stored) {
          return;
        }
        if (common == 0) {
          common = stored;
          return;
        }
        lengths = Supply.ints(LEAF_SLOTS);
        Arrays.fill(lengths, common);
      }
      lengths[index] = stored;
    }

    int stored(int index) {
      return lengths == null ? common : lengths[index];
    }
  }

  long place(int slot) {
    Leaf leaf = leafAt(slot);
    if (leaf != null) {
      return leaf.places[slot & LEAF_MASK];
    }
    Chunk chunk = chunkAt(slot);
    return chunk == null ? ABSENT : chunk.everywhere;
  }

  /** Codec and stored length, see {@link #stored(int, int)}; the block length if it is zero. */
  int stored(int slot) {
    Leaf leaf = leafAt(slot);
    if (leaf != null) {
      return leaf.stored(slot & LEAF_MASK);
    }
    Chunk chunk = chunkAt(slot);
    return chunk == null ? 0 : chunk.length;
  }

  /** The lower half of the digest; 0 for blocks of zeros. */
  long low(int slot) {
    Leaf leaf = leafAt(slot);
    return leaf == null ? 0 : leaf.digests[2 * (slot & LEAF_MASK)];
  }

  long high(int slot) {
    Leaf leaf = leafAt(slot);
    return leaf == null ? 0 : leaf.digests[2 * (slot & LEAF_MASK) + 1];
  }

  private @Nullable Leaf leafAt(int slot) {
    Chunk chunk = chunkAt(slot);
    return chunk == null ? null : chunk.leaf(slot & CHUNK_MASK);
  }

  private @Nullable Chunk chunkAt(int slot) {
    int index = slot >>> CHUNK_BITS;
    return index < chunks.length ? chunks[index] : null;
  }

  @Override
  public void block(int slot, int blockLength, int stored, long place, long low, long high) {
    leafToChange(slot).set(slot & LEAF_MASK, place, stored, low, high);
  }

  @Override
  public void zeros(int first, int count, int blockLength) {
    setRange(first, count, ZERO, blockLength);
  }

  @Override
  public void released(int first, int count) {
    setRange(first, count, ABSENT, 0);
  }

  private void setRange(int first, int count, long place, int length) {
    Chunk whole = place == ABSENT ? null : new Chunk(place, length);
    int slot = first;
    int end = first + count;
    while (slot < end) {
      if ((slot & CHUNK_MASK) == 0 && end - slot >= CHUNK_SLOTS && isUniform(slot)) {
        setWholeChunk(slot, whole);
        slot += CHUNK_SLOTS;
      } else {
        setOne(slot++, place, length);
      }
    }
  }

  private void setOne(int slot, long place, int length) {
    if (place == ABSENT && place(slot) == ABSENT) {
      return;
    }
    // An absent slot keeps its old length: a different one would cost the leaf a table of lengths.
    int stored = place == ABSENT ? stored(slot) : length;
    leafToChange(slot).set(slot & LEAF_MASK, place, stored, 0, 0);
  }

  private boolean isUniform(int slot) {
    Chunk chunk = chunkAt(slot);
    return chunk == null || chunk.leaves == null;
  }

  private void setWholeChunk(int slot, @Nullable Chunk whole) {
    if (whole != null) {
      reach(slot);
    }
    if (slot >>> CHUNK_BITS < chunks.length) {
      chunks[slot >>> CHUNK_BITS] = whole;
    }
  }

  private Leaf leafToChange(int slot) {
    reach(slot);
    int index = slot >>> CHUNK_BITS;
    Chunk chunk = chunks[index];
    if (chunk == null || chunk.leaves == null) {
      chunk = chunk == null ? new Chunk(ABSENT, 0) : new Chunk(chunk.everywhere, chunk.length);
      chunks[index] = chunk;
    }
    return chunk.leafToChange(slot & CHUNK_MASK);
  }

  private void reach(int slot) {
    int index = slot >>> CHUNK_BITS;
    if (index >= chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(index + 1, chunks.length * 2));
    }
  }

  /**
   * The first block of a dataset that this map does not have, or not with the length it must have;
   * -1 if all is well.
   */
  int firstUnfit(DatasetEntry dataset) {
    int block = 0;
    while (block < dataset.blocks()) {
      int slot = dataset.slotOf(block);
      if (!fits(slot, dataset.blockLength(block))) {
        return block;
      }
      block += uniformZeros(slot, dataset, block);
    }
    return -1;
  }

  private boolean fits(int slot, int blockLength) {
    int stored = stored(slot);
    return place(slot) != ABSENT
        && (storedCodec(stored) != 0 || storedLength(stored) == blockLength);
  }

  /** How many blocks from here on are surely as this one: all of a chunk of zeros, or just one. */
  private int uniformZeros(int slot, DatasetEntry dataset, int block) {
    int lastOfChunk = block + CHUNK_SLOTS - 1;
    boolean whole =
        (slot & CHUNK_MASK) == 0
            && isUniform(slot)
            && lastOfChunk < dataset.blocks() - 1
            && dataset.slotOf(lastOfChunk) == slot + CHUNK_SLOTS - 1;
    return whole ? CHUNK_SLOTS : 1;
  }

  /**
   * How many blocks of a dataset from here on are surely zero, at least; 0 if this one is not.
   * Whole chunks of zeros are one step, however many blocks they claim to be.
   */
  int zerosFrom(DatasetEntry dataset, int block) {
    int slot = dataset.slotOf(block);
    if (place(slot) != ZERO) {
      return 0;
    }
    int alike = isUniform(slot) ? CHUNK_SLOTS : leafAt(slot) == null ? LEAF_SLOTS : 1;
    return Math.min(alike - (slot & (alike - 1)), dataset.slots().contiguousFrom(block));
  }

  /** Calls for every extent that holds bytes of a block; chunks without any are passed over. */
  void forEachExtent(ExtentVisitor visitor) {
    for (Chunk chunk : chunks) {
      if (chunk != null && chunk.leaves != null) {
        for (Leaf leaf : chunk.leaves) {
          if (leaf != null) {
            forEachExtent(leaf, visitor);
          }
        }
      }
    }
  }

  private static void forEachExtent(Leaf leaf, ExtentVisitor visitor) {
    for (int i = 0; i < LEAF_SLOTS; i++) {
      if (leaf.places[i] >= 0) {
        visitor.extent(leaf.places[i], storedLength(leaf.stored(i)));
      }
    }
  }

  /** Receives places in the file. */
  interface ExtentVisitor {
    void extent(long place, long length);
  }

  /** Memory taken by the map, for reports. */
  long memoryBytes() {
    long bytes = 8L * chunks.length;
    for (Chunk chunk : chunks) {
      if (chunk != null && chunk.leaves != null) {
        bytes += 40 + 8L * LEAVES;
        for (Leaf leaf : chunk.leaves) {
          bytes += leaf == null ? 0 : 64 + 24L * LEAF_SLOTS;
          bytes += leaf == null || leaf.lengths == null ? 0 : 16 + 4L * LEAF_SLOTS;
        }
      }
    }
    return bytes;
  }

  /** Says all that this map holds about the slots of a catalog, as a base record does. */
  void describe(Catalog catalog, MapRecord.Builder out) {
    for (DatasetEntry dataset : catalog.datasets()) {
      for (int block = 0; block < dataset.blocks(); block++) {
        int slot = dataset.slotOf(block);
        long place = place(slot);
        if (place == ZERO) {
          out.zeros(slot, 1, dataset.blockLength(block));
        } else if (place >= 0) {
          out.block(slot, dataset.blockLength(block), stored(slot), place, low(slot), high(slot));
        }
      }
    }
  }
}
