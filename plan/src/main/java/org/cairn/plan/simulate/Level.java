// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import org.cairn.plan.Checks;

/**
 * A kind of checkpoint, and the failures that it is there for.
 *
 * @param name what to call it
 * @param share of the interrupting failures that need this level: they destroy the checkpoints of
 *     lower levels
 * @param cost of writing a checkpoint
 * @param restart seconds to recover from a failure of this level
 */
public record Level(String name, double share, CheckpointCost cost, double restart) {
  /** Checks. */
  public Level {
    Checks.share(share, "the share of failures of level " + name);
    Checks.notNegative(restart, "the restart of level " + name);
  }
}
