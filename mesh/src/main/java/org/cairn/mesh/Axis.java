// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

/** A direction of a grid. */
public enum Axis {
  /** Along a row: index i, neighbours are 1 apart. */
  X,
  /** From row to row: index j. */
  Y,
  /** From plane to plane: index l. */
  Z
}
