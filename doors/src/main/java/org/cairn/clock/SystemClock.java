// SPDX-License-Identifier: Apache-2.0
package org.cairn.clock;

import java.time.Instant;

/** The machine's clock. */
enum SystemClock implements Clock {
  INSTANCE;

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }
}
