// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.cairn.mpi.Job.Launcher;
import org.cairn.mpi.Job.Result;
import org.cairn.watch.Watch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranks that wait for one that is gone end, with a status of their own, and say which it is. */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Tag("slow")
class StuckTest {
  private static final int RANKS = 3;

  @TempDir Path directory;

  static Stream<Arguments> ends() {
    return Stream.of(Launcher.values())
        .flatMap(
            launcher ->
                Stream.of(
                    Arguments.of(launcher, "exits", "rank 1 is silent"),
                    Arguments.of(launcher, "returns", "rank 1 has closed its checkpoints"),
                    Arguments.of(launcher, "is stopped", "rank 1 is silent")));
  }

  @ParameterizedTest
  @MethodSource("ends")
  void thoseWhoAreLeftWaitingEnd(Launcher launcher, String what, String named) throws Exception {
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
  @EnumSource
  void thoseWhoWaitInCloseEnd(Launcher launcher) throws Exception {
    Result result = run(launcher, "exits before others close");

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(Watch.STATUS);
    assertThat(result.err())
        .contains("rank 1 is silent", "org.cairn.Checkpointer.close")
        .contains("the job ends with status " + Watch.STATUS)
        .doesNotContain("org.cairn.Checkpointer.checkpoint");
  }

  @ParameterizedTest
  @EnumSource
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
  @EnumSource
  void nobodyEndsWhileOneComputes(Launcher launcher) throws Exception {
    Result result = run(launcher, "computes");

    assertThat(result.exitCode()).as(result.toString()).isZero();
    assertThat(result.out()).contains("rank 0 is done", "rank 1 is done", "rank 2 is done");
    assertThat(result.err()).doesNotContain("cairn: ");
  }

  private Result run(Launcher launcher, String what) throws Exception {
    return new Job().program(StuckRank.class).run(launcher, RANKS, directory.toString(), what);
  }
}
