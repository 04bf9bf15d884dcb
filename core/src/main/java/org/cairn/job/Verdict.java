// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.AgreedFailureException;

/** One rank looks at what all of them say of their arrays, and tells the others. */
final class Verdict {
  private static final int JUDGE = 0;

  private Verdict() {}

  /** Looks at what all ranks say, in their order; finds a problem, in a sentence, or none. */
  @FunctionalInterface
  interface Judge {
    Optional<String> problem(List<byte[]> said) throws IOException;
  }

  /**
   * Agrees on what all ranks say; collective.
   *
   * @throws AgreedFailureException on all ranks, if there is a problem
   */
  static void reach(Communicator comm, byte[] mine, Judge judge) throws AgreedFailureException {
    List<byte[]> all = comm.gather(mine, JUDGE);
    byte[] verdict = comm.rank() == JUDGE ? write(judge, all) : new byte[0];
    Optional<String> problem = read(comm.announce(verdict, JUDGE));
    if (problem.isPresent()) {
      throw new AgreedFailureException(problem.get());
    }
  }

  private static byte[] write(Judge judge, List<byte[]> all) {
    RecordWriter out = RecordWriter.onHeap();
    try {
      judge.problem(all).ifPresent(out::putText);
    } catch (IOException | RuntimeException e) {
      out.putText("what ranks say of their arrays cannot be understood: " + e.getMessage());
    }
    return out.toArray();
  }

  private static Optional<String> read(byte[] verdict) throws AgreedFailureException {
    try {
      return verdict.length == 0
          ? Optional.empty()
          : Optional.of(RecordReader.of(verdict, "rank " + JUDGE).getText());
    } catch (IOException e) {
      throw new AgreedFailureException(e.getMessage());
    }
  }
}
