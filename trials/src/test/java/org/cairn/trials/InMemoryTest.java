// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checkpoints in memory: when a rank is killed the launcher tells the others to end, and they write
 * what they have, the copy of the dead rank included. Open MPI alone: MPICH's launcher kills them
 * at once.
 */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("slow")
class InMemoryTest {
  private static final int RANKS = 3;
  private static final int SIZE = 96;

  @TempDir Path directory;

  @Test
  void survivorsSaveTheDead() throws Exception {
    Path checkpoints = directory.resolve("checkpoints");
    try (KillableJob job = start("first", 1_000_000)) {
      job.await(
          "a version at its partner",
          () -> RankEvents.read(checkpoints.resolve("rank1")).has("tier"));
      assertThat(containers(checkpoints)).isEmpty();
      job.kill(1);
      job.awaitEnd();
    }
    assertThat(containers(checkpoints))
        .contains("rank0/rank0.cairn", "rank2/rank2.cairn", "rank2/rank1.partner.cairn")
        .doesNotContain("rank1/rank1.cairn");

    try (KillableJob job = start("second", 40)) {
      assertThat(job.awaitEnd()).as(job.said()).isZero();
      assertThat(job.said()).contains("rank 1 restored from partner of rank 2");
    }
    Undisturbed.verify(directory.resolve("result"), SIZE, RANKS);
    assertThat(containers(checkpoints)).contains("rank1/rank1.cairn");
  }

  private static List<String> containers(Path checkpoints) throws IOException {
    try (var files = Files.walk(checkpoints)) {
      return files
          .filter(file -> file.toString().endsWith(".cairn"))
          .map(file -> checkpoints.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  private KillableJob start(String name, long iterations) throws IOException {
    List<String> launcher = new ArrayList<>(Launcher.OPEN_MPI.command(RANKS));
    // So long survivors have until they are killed too; a second, unless told.
    launcher.addAll(List.of("--mca", "odls_base_sigkill_timeout", "12"));
    return KillableJob.start(
        launcher,
        true,
        RANKS,
        Files.createDirectories(directory.resolve(name)),
        List.of(
            "--partner",
            "1",
            "--in-memory",
            "--every",
            "1",
            "--progress",
            "--size",
            String.valueOf(SIZE),
            "--iterations",
            String.valueOf(iterations),
            "--checkpoints",
            directory.resolve("checkpoints").toString(),
            "--result",
            directory.resolve("result").toString()));
  }
}
