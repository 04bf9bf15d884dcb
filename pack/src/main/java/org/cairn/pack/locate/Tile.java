// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.util.List;
import java.util.Optional;
import org.cairn.transform.Elements;
import org.jspecify.annotations.Nullable;

/**
 * A run of bytes of a file: those of an extent, or some of them, or a piece of the rest, of which
 * nobody knows what it is.
 *
 * @param offset where it begins in the file
 * @param length how many bytes it has, at least one
 * @param extent what a locator says of it; null of the rest. The tile has all of its bytes unless
 *     there are holes in it
 */
public record Tile(long offset, long length, @Nullable Extent extent) {
  static Tile of(Extent extent) {
    return new Tile(extent.offset(), extent.length(), extent);
  }

  static Tile rest(long start, long end) {
    return new Tile(start, end - start, null);
  }

  /** What of it lies between two places. */
  Tile part(long start, long end) {
    return new Tile(start, end - start, extent);
  }

  /** Behind its last byte. */
  public long end() {
    return offset + length;
  }

  /** Whether nothing is known of its bytes, which may be tried as elements of any size. */
  public boolean isRest() {
    return extent == null;
  }

  /** Whether its bytes went through filters already: not worth a trial. */
  public boolean isCoded() {
    return extent != null && extent.coded();
  }

  /** Whether its bytes are elements of a known type, a whole number of them. */
  public boolean isTyped() {
    return extent != null && !extent.coded();
  }

  /** What it is a part of. */
  public Optional<Variable> variable() {
    return Optional.ofNullable(extent).map(Extent::variable);
  }

  /** What its bytes are: {@link Elements#BYTES} where no type is known. */
  public Elements elements() {
    return extent == null || extent.coded() ? Elements.BYTES : extent.variable().elements();
  }

  /** Where its extent begins along each axis of the variable, in elements; empty of the rest. */
  public List<Long> start() {
    return extent == null ? List.of() : extent.start();
  }

  /** How many elements of its extent lie before it: 0 unless there are holes. */
  public long skipped() {
    return extent == null ? 0 : (offset - extent.offset()) / elements().width();
  }

  /**
   * How many elements its extent has along each axis, the slowest first. One axis if these are not
   * as many as its bytes hold, or no type is known.
   */
  public List<Long> box() {
    if (extent == null) {
      return List.of(length);
    }
    long count = extent.length() / elements().width();
    return isTyped() && count(extent.box()) == count ? extent.box() : List.of(count);
  }

  /** How many elements a box has; negative if that is no number. */
  static long count(List<Long> box) {
    long count = 1;
    for (long axis : box) {
      if (axis < 0 || Math.multiplyHigh(count, axis) != 0 || count * axis < 0) {
        return -1;
      }
      count *= axis;
    }
    return count;
  }
}
