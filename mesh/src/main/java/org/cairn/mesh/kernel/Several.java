// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

/** What each point adds to several totals: {@code (k, out) -> out.add(0, u.at(k))}. */
@FunctionalInterface
public non-sealed interface Several extends Kernel {
  /**
   * Adds what one point has.
   *
   * @param k the point's place in every field of the grid
   * @param out the totals
   */
  void at(int k, Totals out);
}
