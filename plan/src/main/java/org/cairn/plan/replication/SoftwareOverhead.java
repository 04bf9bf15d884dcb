// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

/**
 * What keeping replicas consistent costs while nothing fails, as measured for rMPI and fitted to
 * the number of sockets. The logarithm is the natural one: only with it do the formulas give the
 * 4.9 % and 35.7 % at 200,000 sockets that Ferreira 2011 names.
 */
public enum SoftwareOverhead {
  /** Replication that costs sockets only. */
  NONE("none", 0, 0),

  /** Equation 5.1: the best protocol for the application that suffers most. */
  BEST_PROTOCOL("best protocol (equation 5.1)", 0.1, 3.67),

  /** Equation 5.2: the worst of all protocols and applications. */
  WORST_PROTOCOL("worst protocol (equation 5.2)", 3.36, -5.31);

  private final String title;
  private final double slope;
  private final double offset;

  SoftwareOverhead(String title, double slope, double offset) {
    this.title = title;
    this.slope = slope;
    this.offset = offset;
  }

  /** The additional time as a part of the original: 0.049 for 4.9 %. The fit is for pairs. */
  public double fraction(double sockets) {
    return Math.max(0, (slope * Math.log(sockets) + offset) / 100);
  }

  /** The same for more replicas: it grows with their number, as Ferreira 2011 found. */
  public double fraction(double sockets, Replication replication) {
    if (!replication.isReplicated()) {
      return 0;
    }
    return fraction(sockets) * replication.degree() / 2 * replication.share();
  }

  /** What people call it. */
  public String title() {
    return title;
  }
}
