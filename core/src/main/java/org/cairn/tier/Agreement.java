// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.jspecify.annotations.Nullable;

/** Turns the failure of any rank into the failure of all. */
public final class Agreement {
  private static final long FAILED = 0;
  private static final long ABORTED = 1;
  private static final long WELL = 2;

  private Agreement() {}

  /**
   * Returns if no rank failed; otherwise all ranks throw, with the reasons of those that did.
   *
   * @param mine why this rank failed; null if it did not
   * @throws CancellationException if the program has aborted it, on all ranks
   */
  public static void reach(Communicator comm, @Nullable Throwable mine)
      throws AgreedFailureException {
    long outcome = outcome(mine);
    // In the usual case a single number travels.
    long worst = comm.allReduce(outcome, Reduction.MIN);
    if (worst == WELL) {
      return;
    }
    if (comm.size() == 1) {
      throwAlone(mine);
    }
    boolean allAlike = comm.allReduce(outcome, Reduction.MAX) == worst;
    if (allAlike && worst == ABORTED) {
      throw new CancellationException("aborted on all ranks");
    }
    Objections all =
        Objections.gather(
            comm,
            Optional.ofNullable(mine)
                .map(failure -> "rank " + comm.rank() + ": " + reason(failure)));
    AgreedFailureException failure = new AgreedFailureException(all.toString());
    if (mine != null) {
      failure.initCause(mine);
    }
    throw failure;
  }

  private static long outcome(@Nullable Throwable failure) {
    if (failure == null) {
      return WELL;
    }
    return failure instanceof CancellationException ? ABORTED : FAILED;
  }

  /** With nobody to agree with, a failure is what it is. */
  private static void throwAlone(@Nullable Throwable mine) throws AgreedFailureException {
    switch (mine) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null -> throw new AssertionError("nobody failed");
      default -> {
        AgreedFailureException failure = new AgreedFailureException(message(mine));
        failure.initCause(mine);
        throw failure;
      }
    }
  }

  private static String reason(Throwable failure) {
    return failure instanceof CancellationException ? "aborted by the program" : message(failure);
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.toString() : message;
  }
}
