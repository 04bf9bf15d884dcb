// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

import org.cairn.plan.Checks;

/**
 * How much of a job is replicated.
 *
 * @param degree replicas of each replicated process, 1 for none
 * @param share what part of the processes is replicated; the others run once
 */
public record Replication(int degree, double share) {
  /** Every process runs once. */
  public static final Replication NONE = new Replication(1, 1);

  /** Every process runs twice. */
  public static final Replication PAIRS = full(2);

  /** Refuses no replicas, and parts that are none. */
  public Replication {
    Checks.some(degree, "the number of replicas");
    Checks.share(share, "the share of replicated processes");
  }

  /** Every process runs this many times. */
  public static Replication full(int degree) {
    return new Replication(degree, 1);
  }

  /** Whether any process runs more than once. */
  public boolean isReplicated() {
    return degree > 1 && share > 0;
  }

  /** Sockets for each process that the application sees: what replication costs. */
  public double socketsPerProcess() {
    return 1 + share * (degree - 1);
  }

  /** How many processes the application sees on a machine. */
  public double processes(double sockets) {
    double processes = sockets / socketsPerProcess();
    if (!(processes >= 1)) {
      throw new IllegalArgumentException(
          sockets + " sockets are too few for one process of " + degree + " replicas");
    }
    return processes;
  }
}
