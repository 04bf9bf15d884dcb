// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

/** A value of each point, to be summed, or of which the least or greatest is wanted. */
@FunctionalInterface
public non-sealed interface Value extends Kernel {
  /**
   * The value of one point.
   *
   * @param k the point's place in every field of the grid
   */
  double at(int k);
}
