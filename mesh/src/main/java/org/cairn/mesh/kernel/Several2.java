// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

/**
 * What each point with its indices along two axes adds to several totals: {@code (k, i, j, out) ->
 * out.add(0, u.at(k))}.
 */
@FunctionalInterface
public non-sealed interface Several2 extends Kernel {
  /**
   * Adds what one point has.
   *
   * @param k the point's place in every field of the grid
   * @param i the point's global index along the first axis, whose points lie side by side
   * @param j its global index along the second axis
   * @param out the totals
   */
  void at(int k, int i, int j, Totals out);
}
