// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.checkpoint.Gate;
import org.cairn.comm.Communicator;
import org.cairn.division.Description;
import org.cairn.division.Selection;
import org.cairn.tier.AgreedFailureException;

/**
 * Whether what ranks have put into a version goes together. That is so if all have put in what they
 * agreed on when it was begun, or if all have put in what they put in when that was looked at last;
 * otherwise one rank looks.
 */
final class SelectionAgreement {
  /** This rank has put in what was agreed on when the checkpoint was begun. */
  private static final long AS_BEGUN = 1;

  /** This rank has put in what it put in when ranks looked at that last. */
  private static final long AS_LAST = 2;

  private final Communicator comm;
  private Selection last = new Selection(Description.nothing(), Description.nothing());

  SelectionAgreement(Communicator comm) {
    this.comm = comm;
  }

  /** What this rank says of itself, in bits of which all ranks need one in common. */
  long known(Gate.Shown mine) {
    return (mine.asAgreed() ? AS_BEGUN : 0) | (mine.selection().equals(last) ? AS_LAST : 0);
  }

  /** Whether all ranks together have put in what was looked at before. */
  static boolean isKnown(long common) {
    return (common & (AS_BEGUN | AS_LAST)) != 0;
  }

  /**
   * Looks at what all ranks have put in; collective.
   *
   * @throws AgreedFailureException on all ranks, if it does not go together
   */
  void reach(Selection mine) throws AgreedFailureException {
    Verdict.reach(comm, mine.write(), SelectionAgreement::problem);
    last = mine;
  }

  private static Optional<String> problem(List<byte[]> said) throws IOException {
    List<Selection> ranks = new ArrayList<>();
    for (int rank = 0; rank < said.size(); rank++) {
      ranks.add(Selection.read(said.get(rank), "what rank " + rank + " has added"));
    }
    return Selection.problem(ranks);
  }
}
