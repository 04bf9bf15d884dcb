// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;

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

  /** In chunks, found by an index. */
  record Chunked(ChunkIndex index, long at, long[] lengths, long elementBytes, boolean plainEdges)
      implements Layout {}

  /** Parts of other datasets. */
  record Virtual() implements Layout {}

  /** How chunks are found. */
  sealed interface ChunkIndex {}

  /** A B-tree of version 1. */
  record ByTreeOne() implements ChunkIndex {}

  /** There is one chunk only, perhaps of another size than its elements take. */
  record Single(boolean filtered, long bytes, long mask) implements ChunkIndex {}

  /** All chunks, side by side. */
  record Implicit() implements ChunkIndex {}

  /** An array that does not grow. */
  record ByFixedArray() implements ChunkIndex {}

  /** An array that grows. */
  record ByExtensibleArray() implements ChunkIndex {}

  /** A B-tree of version 2. */
  record ByTreeTwo() implements ChunkIndex {}

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
      case VIRTUAL -> new Virtual();
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
    return new Chunked(new ByTreeOne(), tree, lengths, message.u32(), false);
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
    ChunkIndex index = index(message, (flags & 2) != 0);
    return new Chunked(index, message.address(), lengths, elementBytes, (flags & 1) != 0);
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

  private static ChunkIndex index(Cursor message, boolean filtered)
      throws IOException, MalformedException {
    int kind = message.u8();
    return switch (kind) {
      case 1 ->
          filtered ? new Single(true, message.length(), message.u32()) : new Single(false, 0, 0);
      case 2 -> new Implicit();
      case 3 -> {
        message.skip(1);
        yield new ByFixedArray();
      }
      case 4 -> {
        message.skip(5);
        yield new ByExtensibleArray();
      }
      case 5 -> {
        message.skip(6);
        yield new ByTreeTwo();
      }
      default ->
          throw new MalformedException(message.at(), "has chunks with the unknown index " + kind);
    };
  }

  private static MalformedException unknown(Cursor message, int kind) {
    return new MalformedException(message.at(), "has a layout of the unknown class " + kind);
  }
}
