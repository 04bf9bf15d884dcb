// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Where the elements of an array lie, and when that was.
 *
 * @param axes of the array, slowest first
 * @param step how many steps the program had done, if it said so
 * @param time in what it simulates, if it said so
 */
record Geometry(List<Along> axes, OptionalLong step, OptionalDouble time) {

  /** For programs that do not know. */
  static final Geometry NONE =
      new Geometry(List.of(), OptionalLong.empty(), OptionalDouble.empty());

  /**
   * Along an axis.
   *
   * @param name x, y or z
   * @param first where the first element lies
   * @param spacing from one to the next
   * @param isAtEnds whether elements lie at the ends of cells, and not in their middle
   */
  record Along(String name, double first, double spacing, boolean isAtEnds) {
    double at(long element) {
      return first + element * spacing;
    }
  }

  /**
   * An axis, the fastest one first, as files for ParaView count them. A layer is as thick as its
   * elements are wide.
   */
  Along fromLast(int axis) {
    if (axis < axes.size()) {
      return axes.get(axes.size() - 1 - axis);
    }
    return new Along("", 0, isKnown() ? axes.getLast().spacing : 1, true);
  }

  boolean isKnown() {
    return !axes.isEmpty();
  }

  /** Whether elements belong to cells; those on faces are points that lie there. */
  boolean isOfCells() {
    return isKnown() && axes.stream().noneMatch(Along::isAtEnds);
  }

  /** Where the first node is: elements of cells lie in their middle. */
  double origin(int axisFromLast) {
    Along axis = fromLast(axisFromLast);
    return isOfCells() && axisFromLast < axes.size() ? axis.first - .5 * axis.spacing : axis.first;
  }
}
