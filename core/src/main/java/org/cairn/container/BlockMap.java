// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Arrays;
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

  private static final int CHUNK_BITS = 10;
  private static final int CHUNK_SLOTS = 1 << CHUNK_BITS;
  private static final int CHUNK_MASK = CHUNK_SLOTS - 1;

  private static final int LENGTH_BITS = 24;
  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

  private @Nullable Chunk[] chunks = new Chunk[1];
  private final RootDigest digest = new RootDigest();

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

  private static final class Chunk {
    /** Null if all slots have the place {@code everywhere}. */
    long @Nullable [] places;

    long @Nullable [] digests;
    long everywhere = ABSENT;

    /** Null if all slots have the stored length {@code common}. */
    int @Nullable [] lengths;

    int common;

    void set(int index, long place, int stored, long low, long high) {
      open();
      long[] mine = places;
      long[] words = digests;
      if (mine == null || words == null) {
        throw new AssertionError();
      }
      mine[index] = place;
      words[2 * index] = low;
      words[2 * index + 1] = high;
      setLength(index, stored);
    }

    private void open() {
      if (places == null) {
        places = new long[CHUNK_SLOTS];
        digests = new long[2 * CHUNK_SLOTS];
        Arrays.fill(places, everywhere);
      }
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
        lengths = new int[CHUNK_SLOTS];
        Arrays.fill(lengths, common);
      }
      lengths[index] = stored;
    }

    long place(int index) {
      return places == null ? everywhere : places[index];
    }

    int stored(int index) {
      return lengths == null ? common : lengths[index];
    }

    long digest(int word) {
      return digests == null ? 0 : digests[word];
    }
  }

  long place(int slot) {
    Chunk chunk = chunkAt(slot);
    return chunk == null ? ABSENT : chunk.place(slot & CHUNK_MASK);
  }

  /** Codec and stored length, see {@link #stored(int, int)}; the block length if it is zero. */
  int stored(int slot) {
    Chunk chunk = chunkAt(slot);
    return chunk == null ? 0 : chunk.stored(slot & CHUNK_MASK);
  }

  /** The lower half of the digest; 0 for blocks of zeros. */
  long low(int slot) {
    Chunk chunk = chunkAt(slot);
    return chunk == null ? 0 : chunk.digest(2 * (slot & CHUNK_MASK));
  }

  long high(int slot) {
    Chunk chunk = chunkAt(slot);
    return chunk == null ? 0 : chunk.digest(2 * (slot & CHUNK_MASK) + 1);
  }

  private @Nullable Chunk chunkAt(int slot) {
    int index = slot >>> CHUNK_BITS;
    return index < chunks.length ? chunks[index] : null;
  }

  RootDigest digest() {
    return digest;
  }

  @Override
  public void block(int slot, int blockLength, int stored, long place, long low, long high) {
    digest.replace(slot, this, place, low, high);
    chunk(slot).set(slot & CHUNK_MASK, place, stored, low, high);
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
    int slot = first;
    int end = first + count;
    while (slot < end) {
      if ((slot & CHUNK_MASK) == 0 && end - slot >= CHUNK_SLOTS && isUniform(slot)) {
        setWholeChunk(slot, place, length);
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
    digest.replace(slot, this, place, 0, 0);
    // An absent slot keeps its old length: a different one would cost the chunk a table of lengths.
    int stored = place == ABSENT ? stored(slot) : length;
    chunk(slot).set(slot & CHUNK_MASK, place, stored, 0, 0);
  }

  private boolean isUniform(int slot) {
    Chunk chunk = chunkAt(slot);
    return chunk == null || chunk.places == null;
  }

  private void setWholeChunk(int slot, long place, int length) {
    Chunk chunk = new Chunk();
    chunk.everywhere = place;
    chunk.common = length;
    reach(slot);
    chunks[slot >>> CHUNK_BITS] = chunk;
  }

  private Chunk chunk(int slot) {
    reach(slot);
    Chunk chunk = chunks[slot >>> CHUNK_BITS];
    if (chunk == null) {
      chunk = new Chunk();
      chunks[slot >>> CHUNK_BITS] = chunk;
    }
    return chunk;
  }

  private void reach(int slot) {
    int index = slot >>> CHUNK_BITS;
    if (index >= chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(index + 1, chunks.length * 2));
    }
  }

  /** Calls for every extent that holds bytes of a block; chunks without any are passed over. */
  void forEachExtent(ExtentVisitor visitor) {
    for (Chunk chunk : chunks) {
      if (chunk == null || chunk.places == null) {
        continue;
      }
      for (int i = 0; i < CHUNK_SLOTS; i++) {
        if (chunk.place(i) >= 0) {
          visitor.extent(chunk.place(i), storedLength(chunk.stored(i)));
        }
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
      if (chunk != null) {
        bytes += 40;
        bytes += chunk.places == null ? 0 : 24L * CHUNK_SLOTS;
        bytes += chunk.lengths == null ? 0 : 4L * CHUNK_SLOTS;
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
