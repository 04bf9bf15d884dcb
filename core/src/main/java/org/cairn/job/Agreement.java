// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CancellationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.jspecify.annotations.Nullable;

/** Turns the failure of any rank into the failure of all. */
final class Agreement {
  private static final int NAMED = 8;
  private static final byte FAILED = 'F';
  private static final byte ABORTED = 'A';

  private Agreement() {}

  /**
   * Returns if no rank failed; otherwise all ranks throw, with the reasons of those that did.
   *
   * @param mine why this rank failed; null if it did not
   * @throws CancellationException if the program has aborted it, on all ranks
   */
  static void reach(Communicator comm, @Nullable Throwable mine) throws AgreedFailureException {
    // In the usual case a single number travels.
    if (comm.allReduce(mine == null ? 1L : 0L, Reduction.MIN) == 1) {
      return;
    }
    if (comm.size() == 1) {
      throwAlone(mine);
    }
    List<byte[]> reasons = comm.allGather(encode(mine));
    if (reasons.stream().allMatch(reason -> reason.length > 0 && reason[0] == ABORTED)) {
      throw new CancellationException("aborted on all ranks");
    }
    AgreedFailureException failure = new AgreedFailureException(describe(reasons));
    if (mine != null) {
      failure.initCause(mine);
    }
    throw failure;
  }

  /** With nobody to agree with, a failure is what it is. */
  private static void throwAlone(@Nullable Throwable mine) throws AgreedFailureException {
    switch (mine) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null -> throw new AssertionError("nobody failed");
      default -> {
        AgreedFailureException failure = new AgreedFailureException(reason(mine));
        failure.initCause(mine);
        throw failure;
      }
    }
  }

  private static byte[] encode(@Nullable Throwable mine) {
    if (mine == null) {
      return new byte[0];
    }
    boolean aborted = mine instanceof CancellationException;
    String text = aborted ? "aborted by the program" : reason(mine);
    return ((char) (aborted ? ABORTED : FAILED) + text).getBytes(StandardCharsets.UTF_8);
  }

  private static String reason(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.toString() : message;
  }

  private static String describe(List<byte[]> reasons) {
    StringJoiner text = new StringJoiner("; ");
    int failed = 0;
    for (int rank = 0; rank < reasons.size(); rank++) {
      if (reasons.get(rank).length > 0 && failed++ < NAMED) {
        String reason = new String(reasons.get(rank), StandardCharsets.UTF_8).substring(1);
        text.add("rank " + rank + ": " + reason);
      }
    }
    return failed > NAMED ? text + "; and " + (failed - NAMED) + " more ranks" : text.toString();
  }
}
