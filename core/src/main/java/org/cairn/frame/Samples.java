// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.util.ArrayList;
import java.util.List;

/**
 * Parts of a class that stand for all of it: whole pieces if they are small, else runs of two of
 * them, so that what repeats from one owner to the next shows.
 */
final class Samples {
  private Samples() {}

  /** Runs of about so many bytes together, or all there are. */
  static List<TypedBytes> of(List<TypedBytes> pieces, long wanted) {
    long[] lengths = new long[pieces.size()];
    long left = take(pieces, lengths, pieces.size() > 1 ? wanted / 2 : wanted, wanted);
    take(pieces, lengths, wanted, left);
    List<TypedBytes> samples = new ArrayList<>();
    for (int i = 0; i < lengths.length; i++) {
      if (lengths[i] > 0) {
        samples.add(middle(pieces.get(i), lengths[i]));
      }
    }
    return samples;
  }

  /** Takes up to a share of each piece, as long as something is wanted; how much is, then. */
  private static long take(List<TypedBytes> pieces, long[] lengths, long share, long wanted) {
    long left = wanted;
    for (int i = 0; i < lengths.length && left > 0; i++) {
      long size = Math.min(share, pieces.get(i).bytes().byteSize());
      long more = Math.clamp(size - lengths[i], 0, left);
      lengths[i] += more;
      left -= more;
    }
    return left;
  }

  /** From the middle: values at the edge of an array are not like the others. */
  private static TypedBytes middle(TypedBytes piece, long length) {
    // What is of no known type is tried as elements of eight bytes.
    long width = piece.elements().width() == 1 ? Long.BYTES : piece.elements().width();
    long from = (piece.bytes().byteSize() - length) / 2 / width * width;
    return new TypedBytes(
        piece.key(), piece.elements(), piece.shape(), piece.bytes().asSlice(from, length));
  }
}
