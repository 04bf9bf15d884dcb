// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import org.cairn.comm.Communicator;
import org.cairn.testkit.random.Seeds;

/**
 * Something that all ranks do together, and that fails on some rank if the communicator breaks its
 * promises.
 *
 * @param name to find it by
 * @param minimumRanks how many ranks it takes; it runs on more as well
 * @param body what each rank does
 */
public record Scenario(String name, int minimumRanks, Body body) {

  /** What each rank does. All ranks get the same seed. */
  @FunctionalInterface
  public interface Body {
    /** Does it. */
    void run(Communicator ranks, long seed) throws Exception;
  }

  /** Runs it as one of the ranks; all others run it too. A failure names the seed. */
  public void run(Communicator ranks) throws Exception {
    if (ranks.size() < minimumRanks) {
      throw new IllegalArgumentException(
          "%s needs %d ranks, not %d".formatted(name, minimumRanks, ranks.size()));
    }
    long[] seed = {Seeds.of(name, 1).findFirst().orElseThrow()};
    ranks.broadcast(seed, 0);
    try {
      body.run(ranks, seed[0]);
      ranks.barrier(); // the next scenario starts with nobody left in this one
    } catch (Exception | AssertionError e) {
      e.addSuppressed(
          new IllegalStateException(
              "scenario %s, rank %d of %d, replay with -D%s=%d"
                  .formatted(name, ranks.rank(), ranks.size(), Seeds.SEED, seed[0])));
      throw e;
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
