// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.time.Duration;
import java.util.List;

/**
 * Where a life is killed, as its event log tells it.
 *
 * @param after not before so many checkpoints of this life are durable; with 0, not before a
 *     version was restored
 * @param share how far into what the kind says, 0 to 1
 */
record Place(Kind kind, int after, double share) {
  private static final Duration SHORTLY = Duration.ofMillis(5);

  /** Places that differ in what a program has in memory, in flight and on disk. */
  enum Kind {
    /** After a checkpoint has begun and before it is durable. */
    IN,
    /** Between two checkpoints. */
    BETWEEN,
    /** At once after a checkpoint is durable. */
    SHORTLY_AFTER;

    /** For people. */
    String label() {
      return switch (this) {
        case IN -> "in a checkpoint";
        case BETWEEN -> "between two";
        case SHORTLY_AFTER -> "shortly after one";
      };
    }
  }

  /**
   * Whether a life has come there.
   *
   * @param events of the life, of the rank that decides
   */
  boolean isReached(List<Seen> events) {
    long durable = events.stream().filter(event -> event.is("checkpoint")).count();
    long begun = events.stream().filter(event -> event.is("checkpointBegan")).count();
    if (kind == Kind.IN) {
      return begun > after && durable >= after;
    }
    return after == 0 ? events.stream().anyMatch(Seen::isRestored) : durable >= after;
  }

  /** How long to wait then. */
  Duration wait(Rhythm rhythm) {
    double nanos =
        switch (kind) {
          case IN -> share * rhythm.duration().toNanos();
          case BETWEEN -> (.1 + .8 * share) * rhythm.gap().toNanos();
          case SHORTLY_AFTER -> share * Math.min(SHORTLY.toNanos(), rhythm.gap().toNanos() / 10.0);
        };
    return Duration.ofNanos((long) nanos);
  }
}
