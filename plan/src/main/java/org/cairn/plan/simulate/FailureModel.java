// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import org.cairn.plan.Checks;
import org.cairn.plan.failure.Lifetime;
import org.cairn.plan.failure.Trace;

/** What strikes the machine, and when. */
public sealed interface FailureModel {
  /** How many sockets the machine has. */
  int sockets();

  /**
   * Every socket lives and fails on its own; a new one takes its place at once.
   *
   * @param lifetime of a new socket
   * @param sockets how many
   * @param age for how long all of them have been in service without failing when the job starts; 0
   *     is a new machine
   */
  record PerSocket(Lifetime lifetime, int sockets, double age) implements FailureModel {
    /** Checks. */
    public PerSocket {
      Checks.some(sockets, "the number of sockets");
      Checks.notNegative(age, "the age of the sockets");
      if (!Double.isFinite(lifetime.cumulativeHazard(age))) {
        throw new IllegalArgumentException(
            "no socket lives for " + age + " s when its lifetime is " + lifetime);
      }
    }

    /** A new machine. */
    public PerSocket(Lifetime lifetime, int sockets) {
      this(lifetime, sockets, 0);
    }
  }

  /**
   * The times between failures of the machine are drawn from one distribution; each strikes any
   * socket.
   *
   * @param gap from failure to failure
   * @param sockets how many
   */
  record WholeSystem(Lifetime gap, int sockets) implements FailureModel {
    /** Checks. */
    public WholeSystem {
      Checks.some(sockets, "the number of sockets");
    }
  }

  /**
   * Failures as they were recorded. Each trial begins at a random moment of the record; after its
   * last failure and one mean gap, the first comes again. Failures of the same moment strike
   * together: they are one interrupt at most.
   *
   * @param trace the record
   * @param waitsForRepair whether a job that was interrupted goes on only when the node is
   *     repaired, as far as the record says when; otherwise there are spare nodes
   */
  record Replay(Trace trace, boolean waitsForRepair) implements FailureModel {
    /** With spare nodes. */
    public Replay(Trace trace) {
      this(trace, false);
    }

    /** Checks that the record has a length, for otherwise it could not be repeated. */
    public Replay {
      if (!(trace.length() > 0 && trace.length() < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            trace.name()
                + " cannot be repeated: from its first to its last failure there are "
                + trace.length()
                + " s");
      }
    }

    @Override
    public int sockets() {
      return trace.nodes();
    }
  }
}
