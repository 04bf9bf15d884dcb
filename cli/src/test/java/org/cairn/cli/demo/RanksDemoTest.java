// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.cairn.cli.Cli;
import org.cairn.cli.inspect.JobDirectory;
import org.cairn.cli.run.MpiLauncher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** With real processes, real kills and real deletions. */
@Timeout(300)
@Tag("slow")
class RanksDemoTest {
  @TempDir Path temp;

  @Test
  @DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
  void aRankThatLostAllItsFilesComesBack() {
    assumeTrue(
        MpiLauncher.find(List.of(MpiLauncher.Kind.values())).isPresent(), "no MPI is installed");

    Cli.Result result =
        Cli.run("demo", "--ranks", 3, "--size", 100, "--iterations", 3000, "--dir", temp);

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    assertThat(result.out())
        .contains("Heat2D on 3 ranks, each a process started by mpi")
        .containsPattern("(?m)^\\d +LOST +partner of rank \\d$")
        .containsPattern("\\d+\\.\\d+ restored +")
        .contains("Bit for bit the same: rank ");
    assertThat(result.err().lines())
        .hasSize(3)
        .allMatch(line -> line.matches("3 ranks: .* at iteration \\d+, after .*"));
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void withoutMpiRanksAreThreads() {
    Path home = temp.resolve("new");
    Cli.Result result =
        Cli.run(
            "demo",
            "--ranks",
            4,
            "--mpi",
            "none",
            "--tier",
            "erasure",
            "--lose",
            2,
            "--size",
            100,
            "--iterations",
            1000,
            "--seed",
            7,
            "--keep",
            "--json",
            "--dir",
            home);

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    JsonNode report = result.json();
    assertThat(report.get("identical").asBoolean()).isTrue();
    assertThat(report.get("startedBy").asString()).isEqualTo("threads");
    assertThat(report.get("lost")).hasSize(2);
    assertThat(report.get("origins").values())
        .filteredOn(origin -> origin.get("lost").asBoolean())
        .hasSize(2)
        .allMatch(origin -> origin.get("from").asString().equals("erasure"));
    assertThat(report.get("runs").values())
        .extracting(run -> run.get("killed").asBoolean())
        .containsExactly(false, true, false);
    assertThat(Cli.run("verify", home.resolve("checkpoints")).exitCode()).isZero();
    assertThat(result.err()).contains(home.toString());
  }

  @Test
  void thoseThatAreLeftGoOnWithWhatAllHad() {
    Cli.Result result =
        Cli.run(
            "demo",
            "--ranks",
            3,
            "--restart-on",
            2,
            "--mpi",
            "none",
            "--tier",
            "partner",
            "--size",
            100,
            "--iterations",
            1000,
            "--dir",
            temp);

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    assertThat(result.out())
        .contains("Then it goes on with 2.")
        .containsPattern("started again on 2 +version")
        .contains("the job ended on 2 ranks with the same");
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void optionsThatDoNotFitAreRefused() {
    assertRefused("--ranks must be between 2 and 16, not 1", "--ranks", 1);
    assertRefused(
        "--lose must be between 1 and 2 here", "--ranks", 4, "--lose", 3, "--tier", "partner");
    assertRefused("--lose must be between 1 and 3 here", "--ranks", 4, "--lose", 4);
    assertRefused("--tier can be partner or erasure", "--ranks", 4, "--tier", "shared");
    assertRefused("--kills is for one rank", "--ranks", 4, "--kills", 1);
    assertRefused("need --ranks", "--lose", 1);
    assertRefused("need --ranks", "--restart-on", 2);
    assertRefused("--restart-on must be between 1 and 16, not 0", "--ranks", 4, "--restart-on", 0);
    assertRefused("it can be openmpi, mpich or none", "--ranks", 4, "--mpi", "lam");
  }

  private static void assertRefused(String why, Object... options) {
    Object[] all = new Object[options.length + 1];
    all[0] = "demo";
    System.arraycopy(options, 0, all, 1, options.length);
    Cli.Result result = Cli.run(all);
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains(why);
  }

  @Test
  void theSameSeedMeansTheSameDisaster() {
    assertThat(Disaster.of(8, 3, true, 1000, 42)).isEqualTo(Disaster.of(8, 3, true, 1000, 42));
    for (long seed = 0; seed < 100; seed++) {
      Disaster apart = Disaster.of(8, 4, true, 1000, seed);
      assertThat(apart.ranks()).hasSize(4).noneMatch(r -> apart.ranks().contains((r + 1) % 8));
      assertThat(apart.iteration()).isBetween(300L, 600L);
      assertThat(Disaster.of(4, 3, false, 1000, seed).ranks()).hasSize(3);
      assertThat(Disaster.of(2, 1, true, 1000, seed).ranks()).hasSize(1);
    }
  }

  @Test
  void eventsOfAllRanksAreAddedUp() throws IOException {
    String log =
        """
        {"event":"open"}
        {"event":"restart","seconds":%s}
        {"event":"checkpoint","version":"2.10","blocks":4,"dirtyBlocks":1,"bytesWritten":9}
        {"event":"checkpoint","version":"2.9","blocks":4,"dirtyBlocks":1,"bytesWritten":5}
        {"event":"tier","tier":"partner","version":"2.9","bytes":10,"seconds":%s}
        {"event":"tierSkipped","tier":"partner","version":"2.10"}
        {"event":"open"}
        {"event":"tier","tier":"partner","version":"2.9","bytes":1,"seconds":0.1}
        """;
    for (int rank = 0; rank < 2; rank++) {
      Path directory = Files.createDirectory(temp.resolve("rank" + rank));
      Files.writeString(directory.resolve("events.jsonl"), log.formatted(rank, rank));
    }

    JobEvents events = new JobEvents();
    events.addAll(JobDirectory.find(temp).orElseThrow());

    assertThat(events.checkpoints())
        .containsExactly(
            new JobEvents.Saved("2.9", 2, 2, 8, 10, 0),
            new JobEvents.Saved("2.10", 2, 2, 8, 18, 0));
    assertThat(events.tiers())
        .containsExactlyInAnyOrder(
            new JobEvents.Moved("2.9", "partner", false, 2, 0, 0, 20, 1),
            new JobEvents.Moved("2.9", "partner", true, 2, 0, 0, 2, .1),
            new JobEvents.Moved("2.10", "partner", false, 0, 2, 0, 0, 0));
    assertThat(events.restartSeconds()).isEqualTo(1);
  }
}
