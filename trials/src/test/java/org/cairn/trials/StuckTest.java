// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.cairn.testkit.process.MpiJob.Result;
import org.cairn.testkit.random.Turn;
import org.cairn.watch.Watch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Ranks that wait for one that is gone end, with a status of their own, and say which it is. */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Tag("slow")
class StuckTest {
  private static final int RANKS = 3;

  @TempDir Path directory;

  @ParameterizedTest
  @Turn(0)
  void thoseWhoWaitForOneThatExitsEnd(Launcher launcher) throws Exception {
    thoseWhoAreLeftWaitingEnd(launcher, "exits", "rank 1 is silent");
  }

  @ParameterizedTest
  @Turn(1)
  void thoseWhoWaitForOneThatReturnsEnd(Launcher launcher) throws Exception {
    thoseWhoAreLeftWaitingEnd(launcher, "returns", "rank 1 has closed its checkpoints");
  }

  @ParameterizedTest
  @Turn(0)
  void thoseWhoWaitForOneThatIsStoppedEnd(Launcher launcher) throws Exception {
    thoseWhoAreLeftWaitingEnd(launcher, "is stopped", "rank 1 is silent");
  }

  private void thoseWhoAreLeftWaitingEnd(Launcher launcher, String what, String named)
      throws Exception {
    Result result = run(launcher, what);

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(Watch.STATUS);
    assertThat(result.err())
        .contains(named)
        .contains("rank 0, thread \"main\"", "rank 2, thread \"main\"")
        .contains("org.cairn.Checkpointer.checkpoint")
        .contains("the job ends with status " + Watch.STATUS);
    assertThat(result.out()).doesNotContain("is done");
  }

  @ParameterizedTest
  @Turn(1)
  void thoseWhoWaitInCloseEnd(Launcher launcher) throws Exception {
    Result result = run(launcher, "exits before others close");

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(Watch.STATUS);
    assertThat(result.err())
        .contains("rank 1 is silent", "org.cairn.Checkpointer.close")
        .contains("the job ends with status " + Watch.STATUS)
        .doesNotContain("org.cairn.Checkpointer.checkpoint");
  }

  @ParameterizedTest
  @Turn(0)
  void whoLeavesInTheMiddleTellsTheOthers(Launcher launcher) throws Exception {
    Result result = run(launcher, "is interrupted");

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(Watch.STATUS);
    assertThat(result.out()).contains("rank 1 was told: interrupted");
    assertThat(result.err())
        .contains("rank 1 has left the others in the middle of something: ")
        .contains("CommunicationException: interrupted")
        .doesNotContain("none has moved");
  }

  @ParameterizedTest
  @Turn(1)
  void nobodyEndsWhileOneComputes(Launcher launcher) throws Exception {
    Result result = run(launcher, "computes");

    assertThat(result.exitCode()).as(result.toString()).isZero();
    assertThat(result.out()).contains("rank 0 is done", "rank 1 is done", "rank 2 is done");
    assertThat(result.err()).doesNotContain("cairn: ");
  }

  private Result run(Launcher launcher, String what) throws Exception {
    return HeatInThreads.job(StuckRank.class).run(launcher, RANKS, directory.toString(), what);
  }
}
