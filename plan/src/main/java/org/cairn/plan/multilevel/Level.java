// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.multilevel;

import org.cairn.plan.Checks;

/**
 * A kind of checkpoint and the failures it is made for.
 *
 * @param name what to call it, such as the tier
 * @param rate failures a second that this level, and no lower one, recovers from
 * @param cost seconds that a checkpoint of this level takes, what it saves at lower levels included
 * @param restart seconds that a recovery from it takes
 */
public record Level(String name, double rate, double cost, double restart) {
  /** Refuses what is not a rate or a time. */
  public Level {
    Checks.notNegative(rate, "the failure rate of " + name);
    Checks.positive(cost, "the time of a checkpoint at " + name);
    Checks.notNegative(restart, "the time of a restart from " + name);
  }

  Level withRate(double another) {
    return new Level(name, another, cost, restart);
  }
}
