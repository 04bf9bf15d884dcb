// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;
import org.cairn.cli.Cli;
import org.cairn.cli.Damage;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The commands that look at containers, on the directory of a job of many ranks. */
@Timeout(600)
class JobInspectionTest {
  @TempDir Path temp;
  private Path job;

  @BeforeEach
  void write() {
    job = temp.resolve("job");
    JobSample.write(job, 4);
  }

  @Test
  void lsShowsVersionsOverAllRanks() {
    Cli.Result result = Cli.run("ls", job);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("a job of 4 ranks, ")
        .contains("in 12 files")
        .containsPattern("\\d\\.4 .* 256 KiB +complete +all +all +- +-")
        .containsPattern("\\d\\.3 .* complete +all +all +all +-");
    assertThat(result.err()).isEmpty();
  }

  @Test
  void whatIsMissingIsMadeUpForByTiersOrNot() throws IOException {
    delete(job.resolve("rank1"));
    assertThat(Cli.run("ls", job).out()).containsPattern("\\d\\.4 .* restorable +3 of 4 +3 of 4");

    delete(job.resolve("rank2")); // had the copy of rank 1
    JsonNode versions = Cli.run("ls", "--json", job).json().at("/0/versions");
    assertThat(versions.at("/0/state").asString()).isEqualTo("incomplete");
    assertThat(versions.at("/0/lost").toString()).isEqualTo("[1]");
    assertThat(versions.at("/1/state").asString()).isEqualTo("restorable");
    assertThat(versions.at("/1/erasure").toString()).isEqualTo("[0,3]");
  }

  @Test
  void showTellsHowFarEveryTierIs() {
    Cli.Result result = Cli.run("show", job);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .containsPattern("0 +local +\\d\\.4 +- .* rank0/rank0.cairn")
        .containsPattern(" partner +\\d\\.4 +- .* 4 .* rank1/rank0.partner.cairn")
        .containsPattern(" erasure +\\d\\.3 +1 version, .* 2 .* rank0/rank0.parity.cairn")
        .containsPattern("3 +local +\\d\\.4 +- .* rank3/rank3.cairn");

    JsonNode tier = Cli.run("show", "--json", job).json().at("/tiers/5");
    assertThat(tier.get("rank").asInt()).isEqualTo(1);
    assertThat(tier.get("tier").asString()).isEqualTo("erasure");
    assertThat(tier.get("lagVersions").asLong()).isEqualTo(1);
    assertThat(tier.get("lagSeconds").asDouble()).isPositive();
    assertThat(tier.get("failed").asLong()).isZero();
  }

  @Test
  void failuresSkipsAndWhatIsUnderWayAreShown() throws IOException {
    Files.writeString(
        job.resolve("rank2/events.jsonl"),
        """
        {"time":"2026-01-01T00:00:00Z","event":"tierFailed","tier":"shared","version":"9.7",\
        "failure":"disk full"}
        {"time":"2026-01-01T00:00:00Z","event":"tierSkipped","tier":"shared","version":"9.8"}
        {"time":"2026-01-01T00:00:00Z","event":"tierStarted","tier":"shared","version":"9.9"}
        {"time":"2026-01-01T00:00:00Z","event":"tier","tier":"of the future","version":"9.9"}
        {"event":"torn
        """,
        StandardOpenOption.APPEND);

    Cli.Result result = Cli.run("show", job);

    assertThat(result.out()).containsPattern("shared +none \\(9\\.9 under way\\) .* 1 +1 +-");
    assertThat(result.err()).contains("rank 2, shared, version 9.7: disk full");
  }

  @Test
  void verifyReadsEveryFileOfEveryRank() throws IOException {
    Cli.Result sound = Cli.run("verify", job);
    assertThat(sound.exitCode()).as(sound.err()).isZero();
    assertThat(sound.out())
        .containsPattern("rank3/rank2.partner.cairn +a copy of rank 2 +2 .* sound")
        .containsPattern("rank3/rank3.parity.cairn +parity, kept by rank 3 +2 .* sound")
        .contains("Everything is sound.");

    Path copy = job.resolve("rank3/rank2.partner.cairn");
    Damage.flip(copy, placeOf(copy));
    Cli.Result damaged = Cli.run("verify", job);
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.out()).contains("There is damage in rank3/rank2.partner.cairn.");
    assertThat(damaged.err()).contains("block 0 of \"u\"").contains("rank2.partner.cairn");
    assertThat(Cli.run("verify", job.resolve("rank2")).exitCode()).isZero();
    assertThat(Cli.run("verify", job.resolve("rank3")).exitCode()).isEqualTo(1);
  }

  @Test
  void verifyMissesARank() throws IOException {
    delete(job.resolve("rank2"));

    Cli.Result result = Cli.run("verify", job);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("What is there is sound, but not everything is there.");
    assertThat(result.err()).contains("has no container of rank 2");
  }

  @Test
  void oneVersionIsVerifiedWhereItIs() {
    String newest = Cli.run("ls", "--json", job).json().at("/0/versions/0/version").asString();

    Cli.Result result = Cli.run("verify", "--version", newest, job);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).contains("rank1/rank1.cairn").doesNotContain("parity");
    assertThat(Cli.run("verify", "--version", "77.1", job).err()).contains("has no version 77.1");
  }

  @Test
  void diffAndExportWantToKnowTheRank() throws IOException {
    JsonNode versions = Cli.run("ls", "--json", job).json().at("/0/versions");
    String older = versions.at("/1/version").asString();
    String newer = versions.at("/0/version").asString();

    Cli.Result missing = Cli.run("diff", job, older, newer);
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err()).contains("say which with --rank: it has ranks 0-3");
    assertThat(Cli.run("export", job, "--to", temp).err()).contains("say which with --rank");
    assertThat(Cli.run("show", job, "--version", newer).err()).contains("say which with --rank");
    assertThat(Cli.run("diff", "--rank", 9, job, older, newer).err())
        .contains("has no container of rank 9; it has ranks 0-3");

    assertThat(Cli.run("diff", "--rank", 3, job, older, newer).out()).contains("1 of 4");
    assertThat(Cli.run("diff", job.resolve("rank3"), older, newer).out()).contains("1 of 4");
    assertThat(Cli.run("show", "--rank", 3, job).out()).contains("rank3.cairn").contains("u");
    Cli.Result export = Cli.run("export", job, "--rank", 2, "--to", temp.resolve("out"));
    assertThat(export.exitCode()).as(export.err()).isZero();
    assertThat(temp.resolve("out/u.npy")).exists();

    delete(job.resolve("rank2"));
    assertThat(Cli.run("export", job, "--rank", 2, "--to", temp).err())
        .contains("a copy is " + job.resolve("rank3/rank2.partner.cairn"));
  }

  @Test
  void theDirectoryOfOneRankIsListedFileByFile() {
    assertThat(Cli.run("ls", job.resolve("rank3")).out())
        .contains("rank3.cairn")
        .contains("rank3.parity.cairn")
        .contains("rank2.partner.cairn");
  }

  private static long placeOf(Path file) throws IOException {
    try (ContainerReader reader = ContainerPath.one(file).open()) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      return view.place(view.find("u").orElseThrow(), 0).offset();
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
