// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.differential;

import org.cairn.checkpoint.CostModel;
import org.cairn.plan.Checks;

/**
 * Differential against full checkpoints, from rates (section VI of the differential paper, by the
 * same formulas that decide in a running program: {@link CostModel}).
 *
 * @param hashRate bytes hashed a second
 * @param writeRate bytes written a second
 * @param passes how often a dirty block is hashed: once here, twice in the paper
 */
public record Comparison(double hashRate, double writeRate, int passes) {
  /** Refuses what is not a rate. */
  public Comparison {
    Checks.positive(hashRate, "the hashing rate");
    Checks.positive(writeRate, "the writing rate");
    Checks.some(passes, "the number of hashing passes");
  }

  /** Hashing time for each unit of writing time, ρ. */
  public double ratio() {
    return writeRate / hashRate;
  }

  /** The part of dirty blocks below which a differential checkpoint is faster, η; 0 if never. */
  public double threshold() {
    return Math.max(0, CostModel.threshold(1 / hashRate, 1 / writeRate, passes));
  }

  /** S(n_d): the change of the checkpoint time, relative to a full one; negative is a gain. */
  public double relativeChange(double dirty) {
    Checks.share(dirty, "the dirty part");
    return CostModel.relativeCost(1 / hashRate, 1 / writeRate, dirty, passes);
  }

  /** Seconds that a differential checkpoint takes where a full one takes so many. */
  public double checkpoint(double full, double dirty) {
    return full * (1 + relativeChange(dirty));
  }
}
