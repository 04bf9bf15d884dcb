// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

/**
 * A value of each point with its indices along two axes, to be summed, or of which the least or
 * greatest is wanted.
 */
@FunctionalInterface
public non-sealed interface Value2 extends Kernel {
  /**
   * The value of one point.
   *
   * @param k the point's place in every field of the grid
   * @param i the point's global index along the first axis, whose points lie side by side
   * @param j its global index along the second axis
   */
  double at(int k, int i, int j);
}
