// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.division.Description;
import org.cairn.tier.AgreedFailureException;

/**
 * What ranks have agreed on of the datasets that they have together. One rank looks at what all of
 * them say and tells the others; as long as no rank says anything new, nobody asks.
 */
final class DivisionAgreement {
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
    Verdict.reach(comm, mine.write(), DivisionAgreement::problem);
    agreed = mine;
  }

  private static Optional<String> problem(List<byte[]> said) throws IOException {
    List<Description> ranks = new ArrayList<>();
    for (int rank = 0; rank < said.size(); rank++) {
      ranks.add(Description.read(said.get(rank), "what rank " + rank + " says"));
    }
    return Description.problem(ranks);
  }
}
