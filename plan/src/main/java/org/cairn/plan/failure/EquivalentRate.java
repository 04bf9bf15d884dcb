// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import org.cairn.plan.Checks;

/**
 * Constant rates that stand for a machine whose sockets do not fail at a constant rate, so that
 * closed forms can be asked at all. There is no single right one: with a Weibull shape below 1 a
 * new machine fails more often than it will on average over the years, an old one less often.
 */
public enum EquivalentRate {
  /** One failure for each mean life of each socket: right after many years. */
  LONG_RUN("rate of the long run") {
    @Override
    public double rate(Lifetime lifetime, double sockets, double age, double time) {
      return sockets / lifetime.mean();
    }
  },

  /** As many first failures as the cumulative hazard promises for the time of the run. */
  DURING_THE_RUN("rate during this run") {
    @Override
    public double rate(Lifetime lifetime, double sockets, double age, double time) {
      Checks.positive(time, "the time of the run");
      double hazard = lifetime.cumulativeHazard(age + time) - lifetime.cumulativeHazard(age);
      return sockets * hazard / time;
    }
  };

  private final String title;

  EquivalentRate(String title) {
    this.title = title;
  }

  /**
   * Failures a second of the machine.
   *
   * @param lifetime of a socket
   * @param sockets how many
   * @param age how long they have been in service when the run begins
   * @param time how long the run takes
   */
  public abstract double rate(Lifetime lifetime, double sockets, double age, double time);

  /** What people call it. */
  public String title() {
    return title;
  }
}
