// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

/**
 * What a slab of the plate needs from the ranks that hold the others. {@link #single} is a rank
 * that holds the whole plate.
 */
public interface Ranks {

  /** How many ranks share the plate. */
  int count();

  /** Which of them this is, from 0; rank 0 holds the hot edge. */
  int rank();

  /**
   * Fills the ghost rows of this rank's slab: the first row of {@code plate} becomes the last inner
   * row of the rank above, the last row the first inner row of the rank below. Rows without a
   * neighbour stay as they are.
   */
  void exchangeGhostRows(double[] plate, int columns);

  /** The largest of the values that the ranks call this with. */
  double max(double value);

  /** One rank, alone. */
  static Ranks single() {
    return SingleRank.INSTANCE;
  }
}
