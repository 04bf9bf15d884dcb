// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CancellationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.jspecify.annotations.Nullable;

/**
 * Turns the failure of any rank into the failure of all.
 *
 * <pre>
 * Outcome → kind:u8 reason:text      kind 0: it went well, 1: it failed, 2: the program aborted it
 * </pre>
 */
final class Agreement {
  private static final int NAMED = 8;
  private static final int WELL = 0;
  private static final int FAILED = 1;
  private static final int ABORTED = 2;

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
    List<Outcome> outcomes = new ArrayList<>();
    comm.allGather(Outcome.of(mine).write())
        .forEach(message -> outcomes.add(Outcome.read(message)));
    if (outcomes.stream().allMatch(outcome -> outcome.kind == ABORTED)) {
      throw new CancellationException("aborted on all ranks");
    }
    AgreedFailureException failure = new AgreedFailureException(describe(outcomes));
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

  /** How it went on one rank. */
  record Outcome(int kind, String reason) {
    private static Outcome of(@Nullable Throwable failure) {
      if (failure == null) {
        return new Outcome(WELL, "");
      }
      return failure instanceof CancellationException
          ? new Outcome(ABORTED, "aborted by the program")
          : new Outcome(FAILED, Agreement.reason(failure));
    }

    byte[] write() {
      return RecordWriter.onHeap().putByte(kind).putText(reason).toArray();
    }

    /** What cannot be understood is a failure too: nobody can say that it went well. */
    static Outcome read(byte[] message) {
      try {
        RecordReader in = RecordReader.of(message, "how it went");
        int kind = in.getByte();
        String reason = in.getText();
        return kind <= ABORTED
            ? new Outcome(kind, reason)
            : new Outcome(FAILED, "an outcome of kind %d: %s".formatted(kind, reason));
      } catch (CorruptContainerException e) {
        return new Outcome(FAILED, "it is not understood: " + e.getMessage());
      }
    }
  }

  private static String reason(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.toString() : message;
  }

  private static String describe(List<Outcome> outcomes) {
    StringJoiner text = new StringJoiner("; ");
    int failed = 0;
    for (int rank = 0; rank < outcomes.size(); rank++) {
      if (outcomes.get(rank).kind != WELL && failed++ < NAMED) {
        text.add("rank " + rank + ": " + outcomes.get(rank).reason);
      }
    }
    return failed > NAMED ? text + "; and " + (failed - NAMED) + " more ranks" : text.toString();
  }
}
