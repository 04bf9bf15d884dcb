// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.clock.Clock;

/** Runs as the real one does, and leaps when it is told to: hours of a job in a second. */
final class SkewedClock implements Clock {
  private static final Instant BEGIN = Instant.parse("2026-01-31T12:00:00Z");

  private final long origin = System.nanoTime();
  private final AtomicLong leaps = new AtomicLong();

  void leap(Duration time) {
    leaps.addAndGet(time.toNanos());
  }

  @Override
  public Instant now() {
    return BEGIN.plusNanos(nanos());
  }

  @Override
  public long nanos() {
    return System.nanoTime() - origin + leaps.get();
  }
}
