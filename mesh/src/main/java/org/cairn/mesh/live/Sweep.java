// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.Arrays;

/**
 * Makes one set of boxes of two, in one pass through both. Both are in the form that {@link Boxes}
 * describes, and so is the result.
 *
 * <p>On each axis, slowest first, the cuts of both sets give bands in which neither changes; a
 * band's content is found on the next axis, from those boxes of both sets that span it (they lie
 * side by side). A band with the same content as the one it touches is joined to it.
 */
final class Sweep {
  /** Which points are kept. */
  enum Keep {
    EITHER,
    BOTH,
    FIRST_ONLY;

    boolean keeps(boolean first, boolean second) {
      return switch (this) {
        case EITHER -> first || second;
        case BOTH -> first && second;
        case FIRST_ONLY -> first && !second;
      };
    }

    /** Whether points are kept where both sets have some of a band, but perhaps not all. */
    boolean mayKeep(boolean first, boolean second) {
      return this == FIRST_ONLY ? first : keeps(first, second);
    }
  }

  private static final int SLOWEST = 2;

  private final Keep keep;
  private final int[] first;
  private final int[] second;
  private int[] out;
  private int length;

  Sweep(Keep keep, int[] first, int[] second) {
    this.keep = keep;
    this.first = first;
    this.second = second;
    this.out = new int[Math.max(8 * Boxes.WIDTH, first.length + second.length)];
  }

  /** The cuts of the result. */
  int[] result() {
    sweep(SLOWEST, 0, first.length, 0, second.length);
    return Arrays.copyOf(out, length);
  }

  /**
   * The bands of an axis, from {@code a..aEnd} of the first set and {@code b..bEnd} of the other.
   */
  private void sweep(int axis, int a, int aEnd, int b, int bEnd) {
    int low = 2 * axis;
    int band = length;
    int at = Integer.MIN_VALUE;
    while (a < aEnd || b < bEnd) {
      boolean inFirst = a < aEnd && first[a + low] <= at;
      boolean inSecond = b < bEnd && second[b + low] <= at;
      int from = at;
      at = Math.min(nextCut(first, a, aEnd, low, inFirst), nextCut(second, b, bEnd, low, inSecond));
      int aNext = inFirst ? bandEnd(first, a, aEnd, low) : a;
      int bNext = inSecond ? bandEnd(second, b, bEnd, low) : b;
      int begin = length;
      content(axis, a, aNext, b, bNext);
      if (begin < length) {
        close(axis, begin, from, at);
        band = joined(axis, band, begin) ? band : begin;
      }
      a = inFirst && first[a + low + 1] == at ? aNext : a;
      b = inSecond && second[b + low + 1] == at ? bNext : b;
    }
  }

  /** Where the band that one is in ends, or else where the next one begins. */
  private static int nextCut(int[] cuts, int at, int end, int low, boolean inside) {
    if (at == end) {
      return Integer.MAX_VALUE;
    }
    return cuts[at + low + (inside ? 1 : 0)];
  }

  /** The first box that is not in the band of the one at {@code at}. */
  private static int bandEnd(int[] cuts, int at, int end, int low) {
    int next = at + Boxes.WIDTH;
    while (next < end && cuts[next + low] == cuts[at + low]) {
      next += Boxes.WIDTH;
    }
    return next;
  }

  private void content(int axis, int a, int aEnd, int b, int bEnd) {
    if (axis > 0) {
      if (keep.mayKeep(a < aEnd, b < bEnd)) {
        sweep(axis - 1, a, aEnd, b, bEnd);
      }
    } else if (keep.keeps(a < aEnd, b < bEnd)) {
      if (length == out.length) {
        out = Arrays.copyOf(out, 2 * length);
      }
      length += Boxes.WIDTH;
    }
  }

  /** Gives the boxes of a band its cuts. */
  private void close(int axis, int begin, int from, int to) {
    for (int box = begin; box < length; box += Boxes.WIDTH) {
      out[box + 2 * axis] = from;
      out[box + 2 * axis + 1] = to;
    }
  }

  /** Joins the last band to the one before it if they touch and are alike on all faster axes. */
  private boolean joined(int axis, int band, int begin) {
    int boxes = begin - band;
    if (boxes == 0
        || boxes != length - begin
        || out[band + 2 * axis + 1] != out[begin + 2 * axis]) {
      return false;
    }
    for (int box = 0; box < boxes; box += Boxes.WIDTH) {
      if (!Arrays.equals(
          out, band + box, band + box + 2 * axis, out, begin + box, begin + box + 2 * axis)) {
        return false;
      }
    }
    int to = out[begin + 2 * axis + 1];
    length = begin;
    for (int box = band; box < begin; box += Boxes.WIDTH) {
      out[box + 2 * axis + 1] = to;
    }
    return true;
  }
}
