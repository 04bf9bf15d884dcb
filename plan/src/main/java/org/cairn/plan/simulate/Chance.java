// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;

/**
 * The random numbers of one trial. They depend on the seed and the number of the trial only, and so
 * a trial comes out the same on any thread and in any company.
 */
final class Chance {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final UniformRandomProvider uniform;
  private final ZigguratSampler.Exponential exponential;

  Chance(long seed, int trial) {
    // Mixed twice: were it seed + trial·GOLDEN alone, trials of related seeds would be the same.
    long state = mix(mix(seed) + (trial + 1) * GOLDEN);
    uniform = RandomSource.XO_RO_SHI_RO_128_PP.create(new long[] {state, mix(state + GOLDEN)});
    exponential = ZigguratSampler.Exponential.of(uniform);
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
