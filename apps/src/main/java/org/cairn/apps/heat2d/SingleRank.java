// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

/** A rank without neighbours: nothing to exchange, nothing to agree on. */
enum SingleRank implements Ranks {
  INSTANCE;

  @Override
  public int count() {
    return 1;
  }

  @Override
  public int rank() {
    return 0;
  }

  @Override
  public void exchangeGhostRows(double[] plate, int columns) {}

  @Override
  public double max(double value) {
    return value;
  }
}
