// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

/**
 * How a series is drawn. Within a style every series differs from the others in colour, and in the
 * pattern of its line or the shape of its points, so that they can be told apart without colour.
 */
public enum Style {
  /** A line, as of a model: the first is solid, further ones have long dashes. */
  LINE,
  /** A line of short dashes or dots, for what the solid lines are compared with. */
  DASHED,
  /** Symbols only, as of measurements and simulations. */
  POINTS,
  /** Symbols joined by a thin line. */
  LINE_AND_POINTS;

  boolean hasLine() {
    return this != POINTS;
  }

  boolean hasPoints() {
    return this == POINTS || this == LINE_AND_POINTS;
  }
}
