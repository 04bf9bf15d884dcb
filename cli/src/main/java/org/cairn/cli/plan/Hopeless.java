// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import org.cairn.cli.answer.Words;
import org.cairn.plan.interval.Conditions;

/** Machines on which no interval is a plan. */
final class Hopeless {
  private Hopeless() {}

  /** Refuses conditions under which restarts outlast the machine, unless told to go on. */
  static Conditions refuse(Conditions conditions, boolean anyway) {
    if (conditions.isHopeless() && !anyway) {
      throw new IllegalArgumentException(
          "the job is interrupted every "
              + Words.time(conditions.mtti())
              + " on average, but a restart alone takes "
              + Words.time(conditions.restart())
              + ": most restarts would be hit by the next failure. Restart from a faster tier, use"
              + " fewer or more reliable sockets, or look at 'cairn plan replication'. (--anyway"
              + " shows what the formulas say.)");
    }
    return conditions;
  }
}
