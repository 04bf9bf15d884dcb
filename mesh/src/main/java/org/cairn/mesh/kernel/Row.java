// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

/**
 * What is done in each row, with a loop of its own: {@code (from, to) -> {for (int k = from; k <
 * to; k++) …}}.
 */
@FunctionalInterface
public non-sealed interface Row extends Kernel {
  /**
   * Does it in one row.
   *
   * @param from the place of the row's first point in every field of the grid
   * @param to the place behind its last point
   */
  void at(int from, int to);
}
