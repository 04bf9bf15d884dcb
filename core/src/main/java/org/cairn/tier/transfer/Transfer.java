// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.util.List;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * One side of a conversation between two ranks, as a small state machine that never waits. One
 * thread can so send and receive at once, whatever the transport offers, and nobody waits for a
 * rank that waits for him.
 */
public abstract class Transfer {
  private static final int SPINS = 100;
  private static final long LONGEST_NAP = 500_000;

  private @Nullable IOException failure;

  /** Goes one step further if it can; false if it could not. */
  abstract boolean advance() throws IOException;

  /** Whether the other side needs nothing more from this one, nor this from the other. */
  abstract boolean isDone();

  /**
   * Notes why this side cannot do its part; the conversation goes on to its end. Whatever the
   * reason: the other side waits for an answer, and its rank for both.
   */
  void fail(Throwable reason) {
    if (failure == null) {
      failure = reason instanceof IOException io ? io : new IOException(reason.toString(), reason);
    }
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Why it failed; null if it did not. */
  public @Nullable IOException failure() {
    return failure;
  }

  /** Runs conversations side by side to their end, then throws the first failure, if any. */
  public static void runAll(List<? extends Transfer> transfers) throws IOException {
    int idle = 0;
    while (!transfers.stream().allMatch(Transfer::isDone)) {
      boolean moved = false;
      for (Transfer transfer : transfers) {
        moved |= !transfer.isDone() && transfer.advance();
      }
      idle = moved ? 0 : idle + 1;
      if (idle > SPINS) {
        nap(idle);
      }
    }
    for (Transfer transfer : transfers) {
      IOException reason = transfer.failure();
      if (reason != null) {
        throw reason;
      }
    }
  }

  /** Background work must leave the cores to the program. */
  private static void nap(int idle) {
    Supply.nap(Transfer.class, Math.min(LONGEST_NAP, 1000L * (idle - SPINS)));
  }
}
