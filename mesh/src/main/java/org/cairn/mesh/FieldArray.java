// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.List;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.ranks.Bricks;

/**
 * Where the elements of a saved field lie. Axes are those of the array, slowest first; elements are
 * counted from the first one of the halo around the grid.
 */
public final class FieldArray {
  private final SavedProgram.SavedGrid grid;
  private final SavedField field;
  private final Boxes saved;
  private final int ranks;

  FieldArray(SavedProgram.SavedGrid grid, List<SavedField> parts, int ranks) {
    this.grid = grid;
    this.field = parts.getFirst();
    this.ranks = ranks;
    Boxes all = Boxes.NONE;
    for (SavedField one : parts) {
      all = all.plus(one.points());
    }
    this.saved = all;
  }

  /** Some elements along each axis, slowest first. */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
  public record Elements(long[] from, long[] to) {}

  /** Which points its values belong to. */
  public At at() {
    return field.at();
  }

  /** How many ranks had it. */
  public int ranks() {
    return ranks;
  }

  /** Which axis of the grid an axis of the array is. */
  public Axis axis(int number) {
    return Axis.of(grid.axes() - 1 - number);
  }

  /** Whether elements lie at the ends of cells along an axis, and not in their middle. */
  public boolean isAtEnds(int axis) {
    return field.at().isAtEnds(axis(axis));
  }

  /** Where an element lies along an axis. */
  public double coordinate(int axis, long element) {
    int of = axis(axis).number();
    double cells = element - grid.halo() + (isAtEnds(axis) ? 0 : .5);
    return grid.origin()[of] + cells * grid.spacing()[of];
  }

  /** How far apart elements lie along an axis. */
  public double spacing(int axis) {
    return grid.spacing()[axis(axis).number()];
  }

  /** The elements that belong to the grid, and not to the halo around it. */
  public Elements inner() {
    return elements(innerBox());
  }

  /** Those of them that a rank computed; there may be none. */
  public Elements innerOf(int rank) {
    Bricks bricks = Bricks.of(grid.name(), grid.cells(), grid.axes(), grid.halo(), ranks);
    return elements(innerBox().intersect(bricks.owned(rank)));
  }

  /** How many of these elements are in no dataset: nobody would have needed them. */
  public long missing(Elements some) {
    Box box = box(some);
    return box.points() - saved.intersect(box).points();
  }

  private Box innerBox() {
    return new Box(0, end(Axis.X), 0, end(Axis.Y), 0, end(Axis.Z));
  }

  private int end(Axis axis) {
    if (axis.number() >= grid.axes()) {
      return 1;
    }
    return grid.cells()[axis.number()] + (field.at().isAtEnds(axis) ? 1 : 0);
  }

  private Elements elements(Box box) {
    long[] from = new long[grid.axes()];
    long[] to = new long[grid.axes()];
    int[] low = {box.i0(), box.j0(), box.l0()};
    int[] high = {box.i1(), box.j1(), box.l1()};
    for (int axis = 0; axis < from.length; axis++) {
      int of = axis(axis).number();
      from[axis] = low[of] + (long) grid.halo();
      to[axis] = high[of] + (long) grid.halo();
    }
    return new Elements(from, to);
  }

  private Box box(Elements some) {
    int[] low = {0, 0, 0};
    int[] high = {1, 1, 1};
    for (int axis = 0; axis < some.from.length; axis++) {
      int of = axis(axis).number();
      low[of] = Math.toIntExact(some.from[axis] - grid.halo());
      high[of] = Math.toIntExact(some.to[axis] - grid.halo());
    }
    return new Box(low[0], high[0], low[1], high[1], low[2], high[2]);
  }
}
