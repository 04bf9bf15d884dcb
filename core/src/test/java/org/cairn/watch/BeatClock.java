// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.cairn.clock.Clock;

/** Time passes only when all who pause have done what they woke up for. */
final class BeatClock implements Clock {
  private long nanos;
  private final List<Long> deadlines = new ArrayList<>();

  @Override
  public synchronized Instant now() {
    return Instant.EPOCH.plusNanos(nanos);
  }

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public synchronized void pause(Duration time) throws InterruptedException {
    Long deadline = nanos + time.toNanos();
    deadlines.add(deadline);
    notifyAll();
    try {
      while (nanos < deadline) {
        wait();
      }
    } finally {
      deadlines.remove(deadline);
    }
  }

  /** Lets time pass once so many are asleep. */
  synchronized void pass(Duration time, long sleepers) throws InterruptedException {
    while (asleep() < sleepers) {
      wait();
    }
    nanos += time.toNanos();
    notifyAll();
  }

  /** Lets time pass if so many are asleep; else it is worth while to look again. */
  synchronized void passIfAsleep(Duration time, long sleepers) throws InterruptedException {
    if (asleep() < sleepers) {
      wait(1);
    } else {
      pass(time, sleepers);
    }
  }

  private long asleep() {
    return deadlines.stream().filter(deadline -> deadline > nanos).count();
  }
}
