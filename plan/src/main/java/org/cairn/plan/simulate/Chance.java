// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The random numbers of one trial. They depend on the seed and the number of the trial only, and so
 * a trial comes out the same on any thread and in any company.
 *
 * <p>Failures, severities and costs have a sequence each. So the same failures of the same severity
 * strike a job that checkpoints at other times and draws more or fewer costs, and two schedules
 * differ by what they do rather than by luck.
 */
final class Chance {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /** Twice and three times that, so that the sequences of a trial begin apart. */
  private static final long SEVERITIES = 0x3C6EF372FE94F82AL;

  private static final long COSTS = 0xDAA66D2C7DDF743FL;

  private final long state;
  private final UniformRandomProvider uniform;
  private final ZigguratSampler.Exponential exponential;

  /** The sequence that failures are drawn from. */
  Chance(long seed, int trial) {
    // Mixed twice: were it seed + trial·GOLDEN alone, trials of related seeds would be the same.
    this(mix(mix(seed) + (trial + 1) * GOLDEN));
  }

  private Chance(long state) {
    this.state = state;
    uniform = RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {state, mix(state + GOLDEN)});
    exponential = ZigguratSampler.Exponential.of(uniform);
  }

  /** The sequence that severities of interrupts are drawn from. */
  Chance ofSeverities() {
    return new Chance(mix(state + SEVERITIES));
  }

  /** The sequence that costs of checkpoints are drawn from. */
  Chance ofCosts() {
    return new Chance(mix(state + COSTS));
  }

  /** Exponential with mean 1. */
  double exponential() {
    return exponential.sample();
  }

  /** From 0 inclusive to 1 exclusive. */
  double uniform() {
    return uniform.nextDouble();
  }

  /** From 0 inclusive to {@code bound} exclusive. */
  int below(int bound) {
    return bound == 1 ? 0 : uniform.nextInt(bound);
  }

  /** The finalizer of SplitMix64 (Stafford's variant 13). */
  private static long mix(long bits) {
    bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return bits ^ (bits >>> 31);
  }
}
