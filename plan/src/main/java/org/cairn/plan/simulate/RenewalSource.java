// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import org.cairn.plan.failure.Lifetime;

/**
 * Failures of n sockets that live and are replaced on their own, at a cost that does not depend on
 * n.
 *
 * <p>To draw a lifetime for each of 200,000 sockets, of which a few hundred fail while the job
 * runs, would be nearly all of the time. But sockets that have not failed yet need no lifetime of
 * their own. The cumulative hazard at which a socket fails is exponential with mean 1, and by
 * Rényi's representation the order statistics of n such are sums: after k first failures the next
 * is at
 *
 * <pre>  H(k+1) = H(k) + Exp(1) / (n − k),   time = inverseCumulativeHazard(H) − age,</pre>
 *
 * with any socket that never failed as its victim ({@link Lottery}). Sockets that were in service
 * for {@code age} before start at H(0) = cumulativeHazard(age), which is what conditioning on
 * survival means. Only a socket that has failed has a timer for its next failure, in a heap ({@link
 * Timers}). So f failures cost f draws and O(f log f) steps, and a trial begins by counting up a
 * round instead of clearing arrays.
 */
final class RenewalSource extends FailureSource {
  private final Lifetime lifetime;
  private final double age;
  private final double hazardAtStart;
  private final Lottery fresh;
  private final Timers timers = new Timers();
  private Chance chance = new Chance(0, 0);
  private double hazard;
  private double nextFresh;

  RenewalSource(Lifetime lifetime, int sockets, double age) {
    this.lifetime = lifetime;
    this.age = age;
    hazardAtStart = lifetime.cumulativeHazard(age);
    fresh = new Lottery(sockets);
  }

  @Override
  void begin(Chance chance) {
    this.chance = chance;
    fresh.begin();
    timers.clear();
    hazard = hazardAtStart;
    nextFresh = 0;
    drawFresh();
  }

  @Override
  double next() {
    if (timers.first() < nextFresh) {
      double time = timers.first();
      aim(timers.firstSocket());
      timers.replaceFirst(time + life());
      return time;
    }
    double time = nextFresh;
    if (time == NEVER) {
      return NEVER;
    }
    aim(fresh.draw(chance));
    timers.add(time + life(), victim());
    drawFresh();
    return time;
  }

  /** The next first failure; not before the last one, whatever rounding makes of the age. */
  private void drawFresh() {
    if (fresh.left() == 0) {
      nextFresh = NEVER;
    } else {
      hazard += chance.exponential() / fresh.left();
      nextFresh = Math.max(nextFresh, lifetime.inverseCumulativeHazard(hazard) - age);
    }
  }

  private double life() {
    return lifetime.inverseCumulativeHazard(chance.exponential());
  }
}
