// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.transform.Transform;

/**
 * What a frame says of its pieces, in front of them.
 *
 * <pre>
 * Content → Table Transformed
 * Table   → count:v (length:v Transform){count}
 * </pre>
 *
 * <p>Pieces lie side by side in the order of the table, transformed ones as plain ones. One object
 * for all frames of a thread: it grows to the largest table.
 */
final class FrameTable {
  /** A frame has no more pieces: whoever fills one begins another. */
  static final int MOST_PIECES = 1 << 16;

  /** Number, flags, width, number of strides, three of five bytes; and the length. */
  private static final int MOST_BYTES_EACH = 2 + 2 + 1 + 3 * 5 + 5;

  private static final int LEAST_BYTES_EACH = 5;

  /** No table is longer. */
  static final int MOST_BYTES = 5 + MOST_PIECES * MOST_BYTES_EACH;

  private static final int FEW = 64;
  private static final int KNOWN_FLAGS = 7;

  private Transform[] transforms = new Transform[FEW];

  /** Where pieces begin, and behind the last where it ends. */
  private long[] starts = new long[FEW + 1];

  private int count;

  /** How many bytes a table of so many pieces has at most. */
  static int mostBytes(int pieces) {
    return 5 + pieces * MOST_BYTES_EACH;
  }

  /** Writes the table of some pieces. */
  static void write(List<Piece> pieces, RecordWriter out) {
    out.putVarint(pieces.size());
    for (Piece piece : pieces) {
      out.putVarint(piece.bytes().byteSize());
      piece.transform().write(out);
    }
  }

  /** Writes the table of bytes that stay as they are. */
  static void writePlain(long plainLength, RecordWriter out) {
    out.putVarint(1).putVarint(plainLength);
    Transform.NONE.write(out);
  }

  /**
   * Reads the table of a frame whose checksum was right.
   *
   * @return how many bytes it takes
   * @throws CorruptContainerException if it does not tell of just these plain bytes
   * @throws UnsupportedFormatException if it has a transform that this release does not know
   */
  long read(MemorySegment content, long plainLength, String file, long offset) throws IOException {
    RecordReader in = new RecordReader(content, file, offset);
    int pieces = in.getSmallVarint("number of pieces");
    if (pieces > MOST_PIECES || (long) pieces * LEAST_BYTES_EACH > in.remaining()) {
      throw in.corrupt("a table of %d pieces does not fit its frame".formatted(pieces));
    }
    need(pieces);
    count = 0;
    long end = 0;
    for (int i = 0; i < pieces; i++) {
      long length = in.getVarint();
      if (length > plainLength - end) {
        throw in.corrupt(
            "piece %d of %d bytes, where %d of %d are left"
                .formatted(i, length, plainLength - end, plainLength));
      }
      refuseUnknown(content, in, i, file);
      transforms[i] = Transform.read(in);
      end += length;
      starts[i + 1] = end;
    }
    if (end != plainLength || in.remaining() != plainLength) {
      throw in.corrupt(
          "pieces of %d bytes, %d bytes behind the table, expected %d"
              .formatted(end, in.remaining(), plainLength));
    }
    count = pieces;
    return content.byteSize() - plainLength;
  }

  /**
   * What a table says of the frame it begins, where nobody else does.
   *
   * @param bytes how many the table takes
   * @param plainLength how many follow
   */
  record Told(long bytes, long plainLength) {}

  /**
   * Reads what a table says of its frame.
   *
   * @param content may be longer, or shorter, than the frame
   */
  static Told told(MemorySegment content, String file, long offset) throws IOException {
    RecordReader in = new RecordReader(content, file, offset);
    int pieces = in.getSmallVarint("number of pieces");
    long plainLength = 0;
    for (int i = 0; i < pieces; i++) {
      plainLength += in.getVarint();
      if (i >= MOST_PIECES || plainLength > FrameInfo.MOST_PLAIN) {
        throw in.corrupt("more than a frame can have");
      }
      refuseUnknown(content, in, i, file);
      Transform.read(in);
    }
    return new Told(content.byteSize() - in.remaining(), plainLength);
  }

  /** The checksum was right, so this is no damage: somebody wrote it. */
  private static void refuseUnknown(MemorySegment content, RecordReader in, int piece, String file)
      throws IOException {
    if (in.remaining() < 2) {
      return;
    }
    long at = in.skip(0);
    int number = content.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
    int flags = content.get(ValueLayout.JAVA_BYTE, at + 1) & 0xFF;
    if (number >= Transform.Prediction.values().length || (flags & ~KNOWN_FLAGS) != 0) {
      throw new UnsupportedFormatException(
          "%s: piece %d of a frame has transform number %d with flags %d; a newer release wrote it"
              .formatted(file, piece, number, flags),
          true);
    }
  }

  private void need(int pieces) {
    if (transforms.length < pieces) {
      transforms = new Transform[pieces];
      starts = new long[pieces + 1];
    }
  }

  /** How many pieces there are. */
  int count() {
    return count;
  }

  Transform transform(int piece) {
    return transforms[piece];
  }

  /** Where a piece begins in the plain bytes; the one behind the last where they end. */
  long start(int piece) {
    return starts[piece];
  }

  /** The piece in which a place is, or an empty one just before it. */
  int pieceAt(long at) {
    int found = Arrays.binarySearch(starts, 0, count + 1, at);
    return found >= 0 ? found : -found - 2;
  }
}
