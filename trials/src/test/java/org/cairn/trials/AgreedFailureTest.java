// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.cairn.testkit.process.MpiJob.Result;
import org.cairn.testkit.random.Turn;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** A checkpoint that fails on one rank fails on all, for the same reason; the job goes on. */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Tag("slow")
class AgreedFailureTest {
  private static final int RANKS = 3;

  @TempDir Path directory;

  @ParameterizedTest
  @Turn(1)
  void aFailureOfOneRankIsToldToAll(Launcher launcher) throws Exception {
    Result result = HeatInThreads.job(FailingRank.class).run(launcher, RANKS, directory.toString());

    assertThat(result.exitCode()).as(result.toString()).isZero();
    for (String what : List.of("full disk", "again", "in the background", "no answer")) {
      List<String> told = told(result, what + ": ");
      assertThat(told).as(what + "\n" + result).hasSize(RANKS);
      assertThat(told.getFirst()).contains("rank 1: ").doesNotContain("rank 0: ");
      assertThat(told).as(what).containsOnly(told.getFirst());
    }
    assertThat(told(result, "no answer: ").getFirst()).contains("the state is being rearranged");
    assertThat(told(result, "then has ")).hasSize(2 * RANKS);
    assertThat(told(result, "restored ")).hasSize(RANKS).containsOnly("true right true");
  }

  private static List<String> told(Result result, String what) {
    return IntStream.range(0, RANKS)
        .mapToObj(rank -> "rank " + rank + " " + what)
        .flatMap(
            start ->
                result
                    .out()
                    .lines()
                    .filter(line -> line.startsWith(start))
                    .map(line -> line.substring(start.length())))
        .toList();
  }
}
