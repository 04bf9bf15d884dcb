// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/**
 * Where the elements of a dataset are.
 *
 * <pre>
 * Message 1, 2 → Version:8, Rank:8, Class:8, 0:40, [Data:address], Length:32{rank}, [Size:32, bytes]
 * Message 3, 4 → Version:8, Class:8, …
 * compact      → Size:16, bytes
 * contiguous   → Data:address, Size:length
 * chunked 3    → Rank:8, Tree:address, Length:32{rank}
 * chunked 4    → Flags:8, Rank:8, Width:8, Length{rank}, Index:8, parameters, Index:address
 * virtual      → Heap:address, Object:32
 * </pre>
 *
 * <p>The rank of chunks is one more than that of the dataset; the last length is the size of an
 * element.
 */
sealed interface Layout {

  /** In the header itself, or elsewhere in one place. */
  record InOnePlace(long at, long bytes) implements Layout {
    /** What the file does not say: as much as the elements take. */
    static final long ENOUGH = Cursor.FAR;
  }

  /**
   * In chunks.
   *
   * @param at where the index is, or the chunks themselves if they need none
   * @param plainEdges whether chunks that go beyond the dataset are not filtered
   * @param single how the only chunk is stored, if there is only one
   */
  record Chunked(
      Index index, long at, long[] lengths, long elementBytes, boolean plainEdges, Single single)
      implements Layout {}

  /** Parts of other datasets, which an object of a global heap lists. */
  record Virtual(long heap, long object) implements Layout {}

  /** How chunks are found. */
  enum Index {
    TREE_ONE,
    SINGLE,
    IMPLICIT,
    FIXED_ARRAY,
    EXTENSIBLE_ARRAY,
    TREE_TWO
  }

  /** What the layout itself says of an only chunk. */
  record Single(boolean filtered, long bytes, long mask) {
    static final Single PLAIN = new Single(false, 0, 0);
  }

  int COMPACT = 0;
  int CONTIGUOUS = 1;
  int CHUNKED = 2;
  int VIRTUAL = 3;

  /** Reads the message. */
  static Layout read(Cursor message) throws IOException, MalformedException {
    long at = message.at();
    int version = message.u8();
    return switch (version) {
      case 1, 2 -> old(message);
      case 3, 4 -> recent(message, version);
      default -> throw new MalformedException(at, "has a layout of the unknown version " + version);
    };
  }

  private static Layout old(Cursor message) throws IOException, MalformedException {
    int rank = message.u8();
    int kind = message.u8();
    message.skip(5);
    return switch (kind) {
      case COMPACT -> {
        long size = message.skip(4L * rank).u32();
        yield compact(message, size);
      }
      case CONTIGUOUS -> new InOnePlace(message.address(), InOnePlace.ENOUGH);
      case CHUNKED -> chunked(message, message.address(), rank);
      default -> throw unknown(message, kind);
    };
  }

  private static Layout recent(Cursor message, int version) throws IOException, MalformedException {
    int kind = message.u8();
    return switch (kind) {
      case COMPACT -> compact(message, message.u16());
      case CONTIGUOUS -> new InOnePlace(message.address(), message.length());
      case CHUNKED -> version == 3 ? chunkedThree(message) : chunkedFour(message);
      case VIRTUAL -> new Virtual(message.address(), message.u32());
      default -> throw unknown(message, kind);
    };
  }

  private static Layout compact(Cursor message, long size) throws MalformedException {
    long at = message.at();
    message.skip(size);
    return new InOnePlace(at, size);
  }

  private static Layout chunkedThree(Cursor message) throws IOException, MalformedException {
    int rank = message.u8();
    return chunked(message, message.address(), rank);
  }

  private static Layout chunked(Cursor message, long tree, int rank)
      throws IOException, MalformedException {
    long[] lengths = lengths(message, rank, 4);
    return new Chunked(Index.TREE_ONE, tree, lengths, message.u32(), false, Single.PLAIN);
  }

  private static Layout chunkedFour(Cursor message) throws IOException, MalformedException {
    int flags = message.u8();
    int rank = message.u8();
    int width = message.u8();
    if (width < 1 || width > Long.BYTES) {
      throw new MalformedException(message.at(), "has lengths of " + width + " bytes");
    }
    long[] lengths = lengths(message, rank, width);
    long elementBytes = message.count(width);
    Index index = index(message);
    Single single = Single.PLAIN;
    switch (index) {
      case SINGLE -> {
        if ((flags & 2) != 0) {
          single = new Single(true, message.length(), message.u32());
        }
      }
      case FIXED_ARRAY -> message.skip(1);
      case EXTENSIBLE_ARRAY -> message.skip(5);
      case TREE_TWO -> message.skip(6);
      case TREE_ONE, IMPLICIT -> {}
    }
    return new Chunked(index, message.address(), lengths, elementBytes, (flags & 1) != 0, single);
  }

  private static long[] lengths(Cursor message, int rank, int width)
      throws IOException, MalformedException {
    if (rank < 2 || rank > Dataspace.HIGHEST_RANK + 1) {
      throw new MalformedException(message.at(), "has chunks of " + (rank - 1) + " axes");
    }
    long[] lengths = new long[rank - 1];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = message.count(width);
    }
    return lengths;
  }

  private static Index index(Cursor message) throws IOException, MalformedException {
    int kind = message.u8();
    return switch (kind) {
      case 1 -> Index.SINGLE;
      case 2 -> Index.IMPLICIT;
      case 3 -> Index.FIXED_ARRAY;
      case 4 -> Index.EXTENSIBLE_ARRAY;
      case 5 -> Index.TREE_TWO;
      default ->
          throw new MalformedException(message.at(), "has chunks with the unknown index " + kind);
    };
  }

  private static MalformedException unknown(Cursor message, int kind) {
    return new MalformedException(message.at(), "has a layout of the unknown class " + kind);
  }
}
