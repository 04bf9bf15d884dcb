// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.cairn.testkit.process.MpiJob.Result;
import org.cairn.testkit.random.Turn;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Messages of a real MPI into memory whose pages are tracked: none may be missed. */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Tag("slow")
class TrackedReceiveTest {
  @TempDir Path directory;

  @ParameterizedTest
  @Turn(1)
  void messagesAreSavedAsIfEverythingWereHashed(Launcher launcher) throws Exception {
    Result result = HeatInThreads.job(TrackedRank.class).run(launcher, 2, directory.toString());

    assumeTrue(
        !result.err().contains("tracking is required and cannot be had"),
        "pages cannot be tracked here");
    assertThat(result.exitCode()).as(result.toString()).isZero();
    assertThat(result.out())
        .contains("rank 0: 30 messages, bytes are the same: true, hashed little")
        .contains("rank 1: 30 messages, bytes are the same: true, hashed little")
        .doesNotContain("missed");
  }
}
