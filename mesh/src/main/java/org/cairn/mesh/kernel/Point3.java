// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

/**
 * What is done at each point with its indices along three axes: {@code (k, i, j, l) -> u.set(k,
 * 0)}.
 */
@FunctionalInterface
public non-sealed interface Point3 extends Kernel {
  /**
   * Does it at one point.
   *
   * @param k the point's place in every field of the grid
   * @param i the point's global index along the first axis, whose points lie side by side
   * @param j its global index along the second axis
   * @param l its global index along the third axis
   */
  void at(int k, int i, int j, int l);
}
