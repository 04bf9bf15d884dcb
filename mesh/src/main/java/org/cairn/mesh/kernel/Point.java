// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

/** What is done at each point: {@code k -> u.set(k, 0)}. */
@FunctionalInterface
public non-sealed interface Point extends Kernel {
  /**
   * Does it at one point.
   *
   * @param k the point's place in every field of the grid
   */
  void at(int k);
}
