// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.concurrent.TimeUnit;
import org.cairn.supply.Supply;

/**
 * Pauses between two looks at something that nobody announces: at first hardly any, for what comes
 * at once, then longer ones, to leave the processor to those that are waited for. Who has waited
 * long pauses for a small part of that: hundreds of ranks that look every moment would keep a
 * machine busy.
 */
public final class Backoff {
  private static final int SPINS = 100;
  private static final int YIELDS = 20;
  private static final long SHORTEST = TimeUnit.MICROSECONDS.toNanos(1);
  private static final long LONGER = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(5);

  /** The part of the time it has waited so far that a look may come too late. */
  private static final int PART = 16;

  private final String purpose;
  private int pauses;
  private long nanos = SHORTEST;
  private long waited;

  /** For waiting for {@code purpose}, which messages name. */
  public Backoff(String purpose) {
    this.purpose = purpose;
  }

  /**
   * Lets a moment pass.
   *
   * @throws CommunicationException if the thread is interrupted; its interrupt status stays set
   */
  @SuppressWarnings("ThreadPriorityCheck") // a hint is enough here
  public void pause() {
    checkInterrupt(purpose);
    pauses++;
    if (pauses <= SPINS) {
      Thread.onSpinWait();
    } else if (pauses <= SPINS + YIELDS) {
      Thread.yield();
    } else {
      Supply.nap(this, nanos);
      waited += nanos;
      nanos = Math.min(Math.max(Math.min(2 * nanos, LONGER), waited / PART), LONGEST);
    }
  }

  /** The purpose is put into words only if it comes to that: whoever waits asks often. */
  static void checkInterrupt(Object purpose) {
    if (Thread.currentThread().isInterrupted()) {
      throw new CommunicationException("interrupted while waiting for " + purpose);
    }
  }
}
