// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.Optional;

/**
 * How long a replay of the program would take. Measured where there was a long one; until then,
 * what the program does between loops is looked at now and then, and the call of a loop that is
 * skipped is assumed to take {@value #ASSUMED_NANOS} ns.
 */
final class ReplayTime {
  /** Who waits longer for a replay should know of {@link Mesh#here}. */
  static final double LONG_SECONDS = 60;

  private static final double ASSUMED_NANOS = 100;

  /**
   * A shorter replay says more of what it takes to begin: 3 calls that took 33 ms were taken for 11
   * ms each, and the program was warned of a minute for 5,706 of them.
   */
  private static final long ENOUGH_CALLS = 100_000;

  /** Calls between looks; a prime, so that of loops that take turns each is looked at. */
  private static final int STRIDE = 61;

  private final long opened = System.nanoTime();
  private long initialNanos;
  private long initialCalls;
  private double replayedNanos = -1;

  // What the program does between loops.
  private long between;
  private long looks;
  private long nextLook = STRIDE; // what is slow only at first does not count
  private long since;
  private boolean looking;

  /**
   * How long a program takes to come back.
   *
   * @param initialNanos what its initial phase takes, which is run
   * @param nanosPerCall what a call takes that is skipped
   * @param isMeasured whether there was a long replay
   */
  record Pace(long initialNanos, double nanosPerCall, boolean isMeasured) {
    double seconds(long skipped) {
      return (initialNanos + skipped * nanosPerCall) * 1e-9;
    }

    /** What a program should be told whose replay would take long. */
    Optional<String> warning(long skipped) {
      double seconds = seconds(skipped);
      return seconds <= LONG_SECONDS
          ? Optional.empty()
          : Optional.of(
              "a restart would replay %,d calls of loops, which takes about %.0f s; mesh.here() at the top of a step does without a replay"
                  .formatted(skipped, seconds));
    }
  }

  /** The initial phase is over. */
  void ready(long calls) {
    initialNanos = System.nanoTime() - opened;
    initialCalls = calls;
  }

  /** A replay is over. */
  void arrived(long calls) {
    if (calls - initialCalls >= ENOUGH_CALLS) {
      replayedNanos = (double) (System.nanoTime() - opened - initialNanos) / (calls - initialCalls);
    }
  }

  /** A loop has run. */
  void ran(long calls) {
    if (calls >= nextLook) {
      nextLook = calls + STRIDE;
      looking = true;
      since = System.nanoTime();
    }
  }

  /** The next one is about to run. */
  void next() {
    if (looking) {
      looking = false;
      between += System.nanoTime() - since;
      looks++;
    }
  }

  Pace pace() {
    boolean measured = replayedNanos >= 0;
    double hosts = looks == 0 ? 0 : (double) between / looks;
    return new Pace(initialNanos, measured ? replayedNanos : ASSUMED_NANOS + hosts, measured);
  }
}
