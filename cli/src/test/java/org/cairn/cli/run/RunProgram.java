// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import java.util.Arrays;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.cairn.comm.Reduction;

/** A program of somebody who uses Cairn. */
public final class RunProgram {
  private RunProgram() {}

  /** Says which rank this is; fails on the last one if told so, while the others wait for it. */
  public static void main(String[] arguments) {
    try (Communicator ranks = Communicators.world()) {
      int rank = ranks.rank();
      if (Arrays.asList(arguments).contains("fail") && rank == ranks.size() - 1) {
        throw new IllegalStateException("as it was told");
      }
      System.out.print(
          "rank %d of %d in %s, sum %d %s\n"
              .formatted(
                  rank,
                  ranks.size(),
                  ranks.domain(rank),
                  ranks.allReduce(rank, Reduction.SUM),
                  Arrays.toString(arguments)));
    }
  }
}
