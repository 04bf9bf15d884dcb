// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import org.cairn.clock.Clock;

/**
 * Looks for what another rank has written, again and again for a while: network file systems
 * remember for up to a minute that a file was not there.
 */
final class Lookout {
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
  private static final int LOOKS = 50;

  private final Clock clock;
  private final Duration limit;

  Lookout(Clock clock, Duration limit) {
    this.clock = clock;
    this.limit = limit;
  }

  /** One look. */
  interface Look {
    /** What is not as it should be; empty if everything is. */
    Optional<String> problem() throws IOException;
  }

  /** Looks until all is well, or time is up; then what is wrong. */
  Optional<String> await(Look look) {
    long start = clock.nanos();
    while (true) {
      Optional<String> problem;
      try {
        problem = look.problem();
      } catch (IOException e) {
        problem = Optional.of(e.toString());
      }
      if (problem.isEmpty() || clock.nanos() - start >= limit.toNanos()) {
        return problem;
      }
      try {
        pause(clock, limit.dividedBy(LOOKS));
      } catch (InterruptedIOException e) {
        return Optional.of(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Waits for about so long, but neither for no time nor for very long. */
  static void pause(Clock clock, Duration time) throws InterruptedIOException {
    Duration atMost = time.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : time;
    try {
      clock.pause(atMost.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : atMost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for the shared directory");
    }
  }
}
