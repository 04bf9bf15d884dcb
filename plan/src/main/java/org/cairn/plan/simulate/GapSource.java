// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import org.cairn.plan.failure.Lifetime;

/**
 * Failures of the machine as a whole, each striking any socket. For sockets with exponential
 * lifetimes this is exact: the superposition of n such sockets, with or without repair and at any
 * age, has exponential gaps of mean/n and victims that depend on nothing.
 */
final class GapSource extends FailureSource {
  private final Lifetime gap;
  private final int sockets;
  private Chance chance = new Chance(0, 0);
  private double time;

  GapSource(Lifetime gap, int sockets) {
    this.gap = gap;
    this.sockets = sockets;
  }

  @Override
  void begin(Chance chance) {
    this.chance = chance;
    time = 0;
  }

  @Override
  double next() {
    time += gap.inverseCumulativeHazard(chance.exponential());
    aim(chance.below(sockets));
    return time;
  }
}
