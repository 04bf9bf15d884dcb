// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.jspecify.annotations.Nullable;

/** Turns the failure of any rank into the failure of all. */
final class Agreement {
  private static final int NAMED = 8;

  private Agreement() {}

  /**
   * Returns if no rank failed; otherwise all ranks throw, with the reasons of those that did.
   *
   * @param mine why this rank failed; null if it did not
   */
  static void reach(Communicator comm, @Nullable Throwable mine) throws AgreedFailureException {
    // In the usual case a single number travels.
    if (comm.allReduce(mine == null ? 1L : 0L, Reduction.MIN) == 1) {
      return;
    }
    byte[] text = mine == null ? new byte[0] : reason(mine).getBytes(StandardCharsets.UTF_8);
    AgreedFailureException failure =
        new AgreedFailureException(describe(comm.allGather(text)));
    if (mine != null) {
      failure.initCause(mine);
    }
    throw failure;
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
        text.add("rank " + rank + ": " + new String(reasons.get(rank), StandardCharsets.UTF_8));
      }
    }
    return failed > NAMED ? text + "; and " + (failed - NAMED) + " more ranks" : text.toString();
  }
}
