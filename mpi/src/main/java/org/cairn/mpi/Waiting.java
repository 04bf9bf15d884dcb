// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.util.concurrent.locks.LockSupport;

/**
 * What to do between two looks at something that is not there yet: look again at once for some
 * microseconds, then let others have the core, then sleep. Answers come fast while ranks keep step;
 * a rank that waits long costs next to nothing, and can be interrupted.
 *
 * @param spins how often to look again at once; none where ranks share a core
 */
record Waiting(int spins) {
  private static final int SPINS = 5000; // some 500 us: more than a message of 1 MiB takes
  private static final int YIELDS = 100;
  private static final long SHORT_SLEEP_NANOS = 20_000;
  private static final long LONG_SLEEP_NANOS = 100_000;
  private static final int SHORT_SLEEPS = 20;

  /** Spinning takes the core away from the rank that is waited for, if there are not enough. */
  static Waiting forRanksPerHost(int ranks) {
    return new Waiting(ranks > Runtime.getRuntime().availableProcessors() ? 0 : SPINS);
  }

  /** Passes some time; {@code round} counts from 0. */
  void pause(int round) {
    if (round < spins) {
      Thread.onSpinWait();
    } else if (round < spins + YIELDS) {
      Thread.yield();
    } else {
      boolean early = round < spins + YIELDS + SHORT_SLEEPS;
      LockSupport.parkNanos(early ? SHORT_SLEEP_NANOS : LONG_SLEEP_NANOS);
    }
  }
}
