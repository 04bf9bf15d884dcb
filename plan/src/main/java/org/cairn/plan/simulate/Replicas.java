// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import org.cairn.plan.Checks;

/**
 * How processes are replicated. The replicas are within the machine: with n sockets and all
 * processes twice, n/2 processes run.
 *
 * @param degree replicas of a replicated process, the process itself included
 * @param share of the processes that are replicated; the others run once
 * @param mapping where replicas live
 */
public record Replicas(int degree, double share, Mapping mapping) {
  /** Every process runs once. */
  public static final Replicas NONE = new Replicas(1, 1, Mapping.FORWARD);

  /** Checks. */
  public Replicas {
    Checks.some(degree, "the degree of replication");
    Checks.share(share, "the share of replicated processes");
  }

  /** How many processes run on so many sockets; what is left over is idle. */
  public int processes(int sockets) {
    int processes = (int) (sockets / (1 + share * (degree - 1)));
    while (processes < sockets && used(processes + 1) <= sockets) {
      processes++;
    }
    while (used(processes) > sockets) {
      processes--;
    }
    return processes;
  }

  /** How many of so many processes are replicated. */
  int replicated(int processes) {
    return (int) Math.round(share * processes);
  }

  private long used(int processes) {
    return processes + (long) replicated(processes) * (degree - 1);
  }
}
