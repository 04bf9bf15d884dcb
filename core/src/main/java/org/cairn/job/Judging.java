// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.cairn.checkpoint.BlockDigests;
import org.cairn.checkpoint.Gate;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.division.Selection;
import org.cairn.record.Digest;
import org.cairn.tier.AgreedFailureException;

/**
 * Looks at a checkpoint before it becomes durable on any rank: whether what ranks have put into it
 * goes together, and whether what is to be the same everywhere is. In the usual case a few numbers
 * travel.
 */
final class Judging {
  private final Communicator comm;
  private final SelectionAgreement selections;
  private final Sameness sameness;

  Judging(Communicator comm, boolean onlyWarns) {
    this.comm = comm;
    this.selections = new SelectionAgreement(comm);
    this.sameness = new Sameness(comm, onlyWarns);
  }

  /**
   * Waits for what this rank shows, compares it with what others do, and opens the gate;
   * collective.
   *
   * @throws AgreedFailureException on all ranks, if the gate stays closed
   */
  void judge(Gate gate) throws AgreedFailureException {
    try {
      compare(gate.await());
      gate.consent();
    } catch (AgreedFailureException | RuntimeException | Error e) {
      gate.refuse(e);
      throw e;
    }
  }

  private void compare(Optional<Gate.Shown> shown) throws AgreedFailureException {
    List<BlockDigests> digests =
        shown.stream()
            .flatMap(mine -> mine.digests().stream())
            .sorted(Comparator.comparing(BlockDigests::dataset))
            .toList();
    Digest digest = Sameness.digest(digests);
    // A rank that has failed has nothing to show, and keeps nobody: its failure is agreed on later.
    long[] said =
        shown
            .map(mine -> said(digest, selections.known(mine)))
            .orElseGet(() -> new long[] {-1, -1, -1, -1, -1, 0});
    comm.allReduce(said, Reduction.BITWISE_AND);
    if (said[5] == 0 || shown.isEmpty()) {
      return;
    }
    if (!SelectionAgreement.isKnown(said[4])) {
      selections.reach(shown.get().selection());
    }
    boolean same = (said[0] | said[2]) == -1 && (said[1] | said[3]) == -1;
    if (!same) {
      sameness.refuseDifference(digests);
    }
  }

  /** A digest and its complement: if all ranks have the same, one of each two bits stays set. */
  private static long[] said(Digest digest, long known) {
    return new long[] {digest.low(), digest.high(), ~digest.low(), ~digest.high(), known, -1};
  }

  /** The same where there is one rank, which need not wait for anybody. */
  static void judgeAlone(Gate gate) {
    gate.whenShown(
        mine -> {
          try {
            refuseProblem(mine);
            gate.consent();
          } catch (AgreedFailureException | RuntimeException | Error e) {
            gate.refuse(e);
          }
        });
  }

  private static void refuseProblem(Gate.Shown mine) throws AgreedFailureException {
    if (!mine.asAgreed()) {
      Optional<String> problem = Selection.problem(List.of(mine.selection()));
      if (problem.isPresent()) {
        throw new AgreedFailureException(problem.get());
      }
    }
  }
}
