// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Collectors;
import org.cairn.cli.terminal.Quantities;
import org.jspecify.annotations.Nullable;

/**
 * What the demo of many ranks found; printed as it is with {@code --json}.
 *
 * @param seed seed of the moment and of the choice of ranks
 * @param ranks how many ranks there were
 * @param restartedOn how many went on in the end
 * @param startedBy the MPI that started them, or {@code threads}
 * @param lost the ranks whose process was killed and whose directory was deleted
 * @param runs the undisturbed run, the one that was struck, and the one that went on
 * @param origins for each rank where its state came from
 * @param restartSeconds how long it took to restore the states
 * @param checkpoints what was saved, all ranks together
 * @param tiers what tiers were given, all ranks together
 * @param resultBytes size of the result
 * @param firstDifference first byte in which the results differ; -1 if they are identical
 * @param identical whether they are
 */
record RanksReport(
    long seed,
    int ranks,
    int restartedOn,
    String startedBy,
    SortedSet<Integer> lost,
    List<Run> runs,
    List<Origin> origins,
    double restartSeconds,
    List<JobEvents.Saved> checkpoints,
    List<JobEvents.Moved> tiers,
    long resultBytes,
    long firstDifference,
    boolean identical) {

  /** One start of all ranks. */
  record Run(
      @Nullable String version,
      long fromIteration,
      long toIteration,
      boolean killed,
      double seconds) {

    static Run of(HeatJob.Ending ending) {
      return new Run(
          ending.version(),
          ending.first(),
          ending.last(),
          ending.struck(),
          ending.time().toNanos() / 1e9);
    }
  }

  /** Where a rank's state came from: {@code local}, {@code partner of rank 3}, {@code erasure}. */
  record Origin(int rank, boolean lost, String from) {}

  static List<Origin> origins(HeatJob.Ending ending, SortedSet<Integer> lost) {
    List<Origin> origins = new ArrayList<>();
    for (Map.Entry<Integer, String> origin : ending.origins().entrySet()) {
      origins.add(new Origin(origin.getKey(), lost.contains(origin.getKey()), origin.getValue()));
    }
    return origins;
  }

  /** A number of ranks: {@code rank 3}, {@code ranks 1 and 3}. */
  static String name(SortedSet<Integer> ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ")
        + ranks.stream().map(String::valueOf).collect(Collectors.joining(" and "));
  }

  /** Whether every lost rank came back from another tier. */
  boolean recovered() {
    return origins.size() == ranks
        && origins.stream().noneMatch(origin -> origin.lost && origin.from.equals("local"));
  }

  String conclusion() {
    if (!identical) {
      return firstDifference >= 0
          ? "NOT the same: the results differ from byte %s on.".formatted(firstDifference)
          : "NOT the same: the summaries of the results differ.";
    }
    String sources =
        origins.stream()
            .filter(Origin::lost)
            .map(Origin::from)
            .distinct()
            .map(RanksReport::inWords)
            .collect(Collectors.joining(" and "));
    return ("Bit for bit the same: %s, lost with all files, came back from %s,%n"
            + "and the job ended%s with the same %s bytes as the undisturbed one.")
        .formatted(
            name(lost),
            sources,
            restartedOn == ranks ? "" : " on %d ranks".formatted(restartedOn),
            Quantities.count(resultBytes));
  }

  private static String inWords(String origin) {
    return origin.replace("partner of", "the copy at").replace("erasure", "parity");
  }

  static Path summary(Path result) {
    return result.resolveSibling(result.getFileName() + ".txt");
  }
}
