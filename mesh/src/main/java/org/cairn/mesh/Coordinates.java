// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

/** Where a grid lies; who has its arrays sees what is said later. */
final class Coordinates {
  private final double[] origin = {0, 0, 0};
  private final double[] spacing = {1, 1, 1};

  void set(Axis axis, double first, double width) {
    origin[axis.number()] = first;
    spacing[axis.number()] = width;
  }

  double[] origin() {
    return origin;
  }

  double[] spacing() {
    return spacing;
  }
}
