// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import org.cairn.plan.Checks;

/**
 * How many changed blocks a program lets a hash decide on, over all of its checkpoints.
 *
 * @param stateBytes what the program protects, on all ranks
 * @param block bytes of a block
 * @param checkpoints how many are taken
 * @param dirty what part of the blocks changes from one to the next
 */
public record Exposure(double stateBytes, int block, long checkpoints, double dirty) {
  /** Refuses what is no size, number or part. */
  public Exposure {
    Checks.positive(stateBytes, "the size of the state");
    Checks.some(block, "the size of a block");
    Checks.some(checkpoints, "the number of checkpoints");
    Checks.share(dirty, "the dirty part");
  }

  /** Changed blocks in all. */
  public double decisions() {
    return Math.ceil(stateBytes / block) * dirty * checkpoints;
  }

  /** Changed blocks that are expected to be taken for clean, and lost. */
  public double missed(double rate) {
    return decisions() * rate;
  }

  /** The chance that at least one of them is. */
  public double chanceOfAny(double rate) {
    return -Math.expm1(-missed(rate));
  }
}
