// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import org.cairn.plan.Checks;

/** How long the job stands still for a checkpoint. */
public sealed interface CheckpointCost {
  /**
   * Always the same.
   *
   * @param seconds of each checkpoint
   */
  record Fixed(double seconds) implements CheckpointCost {
    /** Checks. */
    public Fixed {
      Checks.notNegative(seconds, "the cost of a checkpoint");
    }
  }

  /**
   * As it was measured: each checkpoint costs one of the samples.
   *
   * @param samples in seconds
   */
  @SuppressWarnings("ArrayRecordComponent") // Two of them are never compared.
  record Drawn(double[] samples) implements CheckpointCost {
    /** Checks, and keeps a copy. */
    public Drawn {
      Checks.samples(samples, "costs of checkpoints");
      samples = samples.clone();
    }
  }

  /**
   * Only what changed is written, and hashing finds it. The first checkpoint is full, until one of
   * its level is complete; each later one takes {@code hashSeconds + fraction · fullSeconds}.
   *
   * @param fullSeconds of a full checkpoint
   * @param hashSeconds to find what changed
   * @param dirtyFractions as measured, each from 0 to 1; every checkpoint draws one
   */
  @SuppressWarnings("ArrayRecordComponent") // Two of them are never compared.
  record Differential(double fullSeconds, double hashSeconds, double[] dirtyFractions)
      implements CheckpointCost {
    /** Checks, and keeps a copy. */
    public Differential {
      Checks.notNegative(fullSeconds, "the cost of a full checkpoint");
      Checks.notNegative(hashSeconds, "the cost of hashing");
      Checks.samples(dirtyFractions, "dirty fractions");
      for (double fraction : dirtyFractions) {
        Checks.share(fraction, "each of the dirty fractions");
      }
      dirtyFractions = dirtyFractions.clone();
    }
  }
}
