// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

/**
 * Ways to count the failures that a replicated job absorbs, up to and including the one that
 * interrupts it. They differ, and every answer says which one it used:
 *
 * <ul>
 *   <li>the <b>birthday</b> counts throw balls at processes; each process is hit with the same
 *       probability whether or not a replica of it is dead already, and two hits always kill;
 *   <li>the <b>exact</b> count throws them at sockets: half of the hits on a process that has lost
 *       a replica strike the dead one and do nothing, so that more failures are absorbed;
 *   <li>the <b>indicator</b> count takes the moment at which one full bin is expected for the
 *       expected moment of the first, and overestimates both.
 * </ul>
 */
public enum FailureCount {
  /** What happens on a machine: failures strike sockets, also those of dead processes. */
  EXACT(
      "exact",
      "1 + 4^b / C(2b, b) for pairs, an integral otherwise; failures may strike the dead") {
    @Override
    double fullyReplicated(int degree, double processes) {
      return Interruption.failures(degree, processes, 0);
    }
  },

  /** Equation 3.1, for pairs. */
  BIRTHDAY("birthday", "Q(N), balls into bins until one has two (equation 3.1); pairs only") {
    @Override
    double fullyReplicated(int degree, double processes) {
      requirePairs(degree);
      return Birthday.expected(processes);
    }
  },

  /** Equation 3.2 with the leading 1 that it forgets. */
  RAMANUJAN("Ramanujan", "√(πN/2) + 2/3 + …, expansion of Q(N); pairs only") {
    @Override
    double fullyReplicated(int degree, double processes) {
      requirePairs(degree);
      return Birthday.ramanujan(processes);
    }
  },

  /** Equation 3.3 as printed, by which Ferreira 2011 made its figures. */
  AS_PRINTED("as printed", "√(πN/2) − 1/3 (equation 3.3 of Ferreira 2011, one too small)") {
    @Override
    double fullyReplicated(int degree, double processes) {
      requirePairs(degree);
      return Math.max(1, Birthday.ramanujanAsPrinted(processes));
    }
  },

  /** Equation 3.7. */
  INDICATOR("indicator", "C(k, r) / N^(r−1) = 1 (equation 3.7); overestimates by 1/Γ(1+1/r)") {
    @Override
    double fullyReplicated(int degree, double processes) {
      return Birthday.indicator(degree, processes);
    }
  },

  /** Equation 3.7 without its overestimate, as chapter 6 uses it. */
  INDICATOR_CORRECTED(
      "indicator, corrected", "equation 3.7 divided by its overestimate 1/Γ(1+1/r)") {
    @Override
    double fullyReplicated(int degree, double processes) {
      return Birthday.indicator(degree, processes) / Birthday.indicatorOverestimate(degree);
    }
  };

  private final String title;
  private final String explanation;

  FailureCount(String title, String explanation) {
    this.title = title;
    this.explanation = explanation;
  }

  abstract double fullyReplicated(int degree, double processes);

  /** The mean number of failures until the job is interrupted. */
  public double failures(Replication replication, double sockets) {
    if (!replication.isReplicated()) {
      return 1;
    }
    double processes = replication.processes(sockets);
    if (replication.share() == 1) {
      return fullyReplicated(replication.degree(), processes);
    }
    if (this != EXACT) {
      throw new IllegalArgumentException(
          "the "
              + title
              + " count knows full replication only; take the exact one for a share of "
              + replication.share());
    }
    return Interruption.failures(
        replication.degree(),
        processes * replication.share(),
        processes * (1 - replication.share()));
  }

  /** The mean time to interrupt, for sockets that fail at a constant rate. */
  public double mtti(Replication replication, double sockets, double socketMtbf) {
    double used = replication.processes(sockets) * replication.socketsPerProcess();
    return failures(replication, sockets) * socketMtbf / used;
  }

  /** What people call it. */
  public String title() {
    return title;
  }

  /** How it counts. */
  public String explanation() {
    return explanation;
  }

  private static void requirePairs(int degree) {
    if (degree != 2) {
      throw new IllegalArgumentException(
          "the birthday counts know two replicas only, not "
              + degree
              + "; take the exact count or the indicator method");
    }
  }
}
