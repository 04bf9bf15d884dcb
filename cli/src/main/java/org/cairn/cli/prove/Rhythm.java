// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * How an undisturbed life takes checkpoints.
 *
 * @param checkpoints how many became durable
 * @param duration from the beginning of one until it is durable, in the median
 * @param gap from then to the beginning of the next, in the median
 */
record Rhythm(int checkpoints, Duration duration, Duration gap) {

  /** Of the events of one rank. */
  static Rhythm of(List<Seen> events) {
    List<Duration> durations = new ArrayList<>();
    List<Duration> gaps = new ArrayList<>();
    Instant begun = Instant.EPOCH;
    Instant ended = Instant.EPOCH;
    int checkpoints = 0;
    for (Seen event : events) {
      if (event.is("checkpointBegan")) {
        begun = event.time();
        if (checkpoints > 0) {
          gaps.add(atLeastZero(ended, begun));
        }
      } else if (event.is("checkpoint")) {
        checkpoints++;
        ended = event.time();
        durations.add(atLeastZero(begun, ended));
      }
    }
    return new Rhythm(checkpoints, median(durations), median(gaps));
  }

  private static Duration atLeastZero(Instant from, Instant to) {
    return to.isAfter(from) ? Duration.between(from, to) : Duration.ZERO;
  }

  private static Duration median(List<Duration> some) {
    return some.isEmpty() ? Duration.ZERO : some.stream().sorted().toList().get(some.size() / 2);
  }
}
