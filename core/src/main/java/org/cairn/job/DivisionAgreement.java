// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.division.Description;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.AgreedFailureException;

/**
 * What ranks have agreed on of the datasets that they have together. One rank looks at what all of
 * them say and tells the others; as long as no rank says anything new, nobody asks.
 */
final class DivisionAgreement {
  private static final int JUDGE = 0;

  private final Communicator comm;
  private Description agreed = Description.nothing();

  DivisionAgreement(Communicator comm) {
    this.comm = comm;
  }

  /** Whether this rank says something that was not agreed on. */
  boolean isNew(Description mine) {
    return !mine.equals(agreed);
  }

  /**
   * Agrees on what all ranks say; collective.
   *
   * @throws AgreedFailureException on all ranks, if it does not go together
   */
  void reach(Description mine) throws AgreedFailureException {
    List<byte[]> all = comm.gather(mine.write(), JUDGE);
    byte[] verdict = comm.rank() == JUDGE ? judge(all) : new byte[0];
    Optional<String> problem = read(comm.announce(verdict, JUDGE));
    if (problem.isPresent()) {
      throw new AgreedFailureException(problem.get());
    }
    agreed = mine;
  }

  private static byte[] judge(List<byte[]> all) {
    RecordWriter out = RecordWriter.onHeap();
    try {
      List<Description> ranks = new ArrayList<>();
      for (int rank = 0; rank < all.size(); rank++) {
        ranks.add(Description.read(all.get(rank), "what rank " + rank + " says"));
      }
      Description.problem(ranks).ifPresent(out::putText);
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
