// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

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
      Check.notNegative("the cost of a checkpoint", seconds);
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
      Check.samples("costs of checkpoints", samples);
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
      Check.notNegative("the cost of a full checkpoint", fullSeconds);
      Check.notNegative("the cost of hashing", hashSeconds);
      Check.samples("dirty fractions", dirtyFractions);
      for (double fraction : dirtyFractions) {
        Check.share("each of the dirty fractions", fraction);
      }
      dirtyFractions = dirtyFractions.clone();
    }
  }
}
