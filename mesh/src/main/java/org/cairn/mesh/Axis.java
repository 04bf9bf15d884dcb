// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

/** A direction of a grid. */
public enum Axis {
  /** Along a row: index i, neighbours are 1 apart. */
  X(0),
  /** From row to row: index j. */
  Y(1),
  /** From plane to plane: index l. */
  Z(2);

  private final int number;

  Axis(int number) {
    this.number = number;
  }

  /** The one with this number. */
  static Axis of(int number) {
    return switch (number) {
      case 0 -> X;
      case 1 -> Y;
      case 2 -> Z;
      default -> throw new IllegalArgumentException("there is no axis " + number);
    };
  }

  /** Which one it is, from 0. */
  int number() {
    return number;
  }
}
