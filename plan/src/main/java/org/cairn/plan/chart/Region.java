// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.OptionalDouble;

/**
 * A part of the plot that is shaded behind the curves, such as the sizes that are called exascale.
 * What lies outside the axes is cut off.
 *
 * @param name drawn within the region; may be empty
 * @param fromX where it begins
 * @param toX where it ends
 * @param fromY its lower edge; that of the plot if absent
 * @param toY its upper edge; that of the plot if absent
 */
public record Region(
    String name, double fromX, double toX, OptionalDouble fromY, OptionalDouble toY) {
  /** Checks that the region is not empty. */
  public Region {
    if (!(fromX < toX)) {
      throw new IllegalArgumentException(
          "Region " + name + " runs from x = " + fromX + " to " + toX + ", which is empty");
    }
    if (fromY.isPresent() && toY.isPresent() && !(fromY.getAsDouble() < toY.getAsDouble())) {
      throw new IllegalArgumentException(
          "Region " + name + " runs from y = " + fromY + " to " + toY + ", which is empty");
    }
  }

  /** A region of the whole height. */
  public Region(String name, double fromX, double toX) {
    this(name, fromX, toX, OptionalDouble.empty(), OptionalDouble.empty());
  }

  /** A rectangle. */
  public Region(String name, double fromX, double toX, double fromY, double toY) {
    this(name, fromX, toX, OptionalDouble.of(fromY), OptionalDouble.of(toY));
  }
}
