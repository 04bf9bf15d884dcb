// SPDX-License-Identifier: Apache-2.0
package org.cairn.clock;

import java.time.Duration;
import java.time.Instant;

/** The one door to time: tests and simulations put their own behind it. */
public interface Clock {

  /** The time of day. */
  Instant now();

  /** A time in nanoseconds that only grows; only differences mean something. */
  long nanos();

  /**
   * Waits for about so long; a simulation lets time pass instead.
   *
   * @throws InterruptedException if somebody does not want to wait any longer
   */
  default void pause(Duration time) throws InterruptedException {
    Thread.sleep(time);
  }

  /** The machine's clock. */
  static Clock system() {
    return SystemClock.INSTANCE;
  }
}
