// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.cairn.testkit.random.Turn;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Ranks on hosts that have a network, a name and a disk of their own, as far as one machine can
 * pretend that: failure domains are those hosts, without anybody naming them. Left out where the
 * machine does not allow it.
 */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("slow")
class HostsTest {
  private static final int RANKS = 4;
  private static final int SIZE = 96;

  @TempDir Path directory;
  private int starts;

  @ParameterizedTest
  @Turn(0)
  void aLostHostComesBackFromTheOther(Launcher launcher) throws Exception {
    try (Hosts hosts = Hosts.make(directory)) {
      assumeTrue(hosts.isUsable(), hosts::problem);
      List<String> first = hosts.command(launcher, 1, 2);
      try (KillableJob job = start(first, 1_000_000)) {
        Path home = hosts.disk(2).resolve("rank3");
        job.await("a version at its partner", () -> RankEvents.read(home).has("tier"));
        job.kill(3);
        job.awaitEnd();
      }
      assertThat(names(hosts.disk(1))).containsExactly("rank0", "rank1");
      assertThat(names(hosts.disk(2))).containsExactly("rank2", "rank3");
      hosts.loseDisk(2);

      assertThat(finish(first, 12))
          .containsPattern("rank 2 restored from partner of rank [01]")
          .containsPattern("rank 3 restored from partner of rank [01]");

      // Where the ranks run has changed, not where their files are.
      assertThat(finish(hosts.command(launcher, 2, 1), 16))
          .containsPattern("rank 0 restored from (local|partner) of rank [23]")
          .containsPattern("rank 3 restored from (local|partner) of rank [01]");
    }
  }

  private KillableJob start(List<String> launcher, long iterations) throws IOException {
    Path scratch = Files.createDirectories(directory.resolve("start" + starts++));
    return KillableJob.start(
        launcher,
        false,
        RANKS,
        scratch,
        List.of(
            "--partner",
            "1",
            "--every",
            "1",
            "--progress",
            "--size",
            String.valueOf(SIZE),
            "--iterations",
            String.valueOf(iterations),
            "--checkpoints",
            Hosts.mountPoint(directory).toString(),
            "--result",
            directory.resolve("result").toString()));
  }

  private String finish(List<String> launcher, long iterations) throws Exception {
    try (KillableJob job = start(launcher, iterations)) {
      assertThat(job.awaitEnd()).as(job.said()).isZero();
      Undisturbed.verify(directory.resolve("result"), SIZE, RANKS);
      return job.said();
    }
  }

  private static List<String> names(Path disk) throws IOException {
    List<String> names = new ArrayList<>();
    try (var entries = Files.newDirectoryStream(disk)) {
      entries.forEach(entry -> names.add(entry.getFileName().toString()));
    }
    names.sort(null);
    return names;
  }
}
