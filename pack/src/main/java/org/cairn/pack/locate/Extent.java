// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.util.Collections;
import java.util.List;

/**
 * Bytes of a file that hold a box of a variable, the last axis fastest.
 *
 * @param start the first element of the box along each axis of the variable
 * @param box how many elements it has along each axis; may go beyond the variable, as chunks at its
 *     edge do
 * @param offset where the bytes begin in the file
 * @param length how many there are
 * @param coded whether they went through filters of the format, and are no elements any more
 */
public record Extent(
    Variable variable, List<Long> start, List<Long> box, long offset, long length, boolean coded) {
  /** Where a variable begins, by its number of axes: one list for all that begin there. */
  private static final List<List<Long>> BEGINNINGS =
      List.of(List.of(), List.of(0L), List.of(0L, 0L), List.of(0L, 0L, 0L));

  /** Takes copies of the lists. */
  public Extent {
    start = List.copyOf(start);
    box = List.copyOf(box);
  }

  /** All of a variable in one place. */
  public static Extent whole(Variable variable, long offset, long length) {
    List<Long> shape = variable.shape();
    return new Extent(variable, beginning(shape.size()), shape, offset, length, false);
  }

  private static List<Long> beginning(int axes) {
    return axes < BEGINNINGS.size() ? BEGINNINGS.get(axes) : Collections.nCopies(axes, 0L);
  }
}
