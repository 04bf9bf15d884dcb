// SPDX-License-Identifier: Apache-2.0
package org.cairn.clock;

import java.time.Instant;

/** The one door to time: tests and simulations put their own behind it. */
public interface Clock {

  /** The time of day. */
  Instant now();

  /** A time in nanoseconds that only grows; only differences mean something. */
  long nanos();

  /** The machine's clock. */
  static Clock system() {
    return SystemClock.INSTANCE;
  }
}
