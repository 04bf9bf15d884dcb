// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.cli.Cli;
import org.cairn.cli.Main;
import org.cairn.cli.command.SameJava;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** With real processes and real kills. */
@Timeout(600)
@Tag("slow")
class DemoCommandTest {
  @TempDir Path temp;

  @Test
  void aKilledProgramEndsWithTheSameBits() {
    Cli.Result result =
        Cli.run("demo", "--size", 200, "--iterations", 1000, "--kills", 2, "--dir", temp);

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    assertThat(result.out())
        .contains("killed with SIGKILL twice, at random (seed ")
        .contains("Bit for bit the same")
        .containsPattern("attempt 3 +\\d+ +version \\d+\\.\\d+ .* finished");
    // More than four where the machine is so busy that the program was faster than a kill.
    assertThat(result.err().lines())
        .hasSizeGreaterThanOrEqualTo(4)
        .allMatch(line -> line.matches("process \\d+: (killed|finished) at iteration \\d+, .*"));
    assertThat(temp).isEmptyDirectory();
  }

  /** Seed 95 kills late, after a wait in which so small a program ends where it has a processor. */
  @Test
  void aProgramThatIsFasterThanItsKillBeginsAnew() {
    Cli.Result result =
        Cli.run(
            "demo", "--size", 30, "--iterations", 2000, "--kills", 1, "--seed", 95, "--dir", temp);

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    assertThat(result.out()).contains("the run that was killed once ended with the same");
    assertThat(result.err().lines()).hasSizeGreaterThanOrEqualTo(3);
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void jsonAndWhatIsKept() {
    Path home = temp.resolve("new");
    Cli.Result result =
        Cli.run(
            "demo",
            "--size",
            200,
            "--iterations",
            1500,
            "--kills",
            1,
            "--seed",
            7,
            "--async",
            "--keep",
            "--json",
            "--dir",
            home);

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    JsonNode report = result.json();
    assertThat(report.get("identical").asBoolean()).isTrue();
    assertThat(report.get("seed").asLong()).isEqualTo(7);
    assertThat(report.get("runs").values())
        .extracting(run -> run.get("killed").asBoolean())
        .containsExactly(false, true, false);
    // Fifteen are taken. A kill may fall between the moment one is durable and its event.
    assertThat(report.get("checkpoints").size()).isGreaterThanOrEqualTo(14);
    assertThat(report.get("resultBytes").asLong()).isEqualTo(203 * 200 * 8);
    assertThat(Cli.run("verify", home.resolve("checkpoints")).exitCode()).isZero();
    assertThat(result.err()).contains(home.toString());
  }

  /** Also who is interrupted while the program is being started. */
  @ParameterizedTest
  @ValueSource(strings = {"cairn-demo-", "heat2d.log"})
  void whoIsInterruptedLeavesNothingBehind(String sign) throws Exception {
    List<String> words = List.of("demo", "--size", "200", "--iterations", "100000");
    Path temporary = Files.createDirectory(temp.resolve("tmp"));
    List<String> command = new ArrayList<>(SameJava.command(Main.class, words));
    command.add(command.indexOf("-cp"), "-Djava.io.tmpdir=" + temporary);
    File output = temp.resolve("out").toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
    try {
      while (process.isAlive() && !isThere(temporary, sign)) {
        Thread.onSpinWait();
      }
      process.destroy(); // SIGTERM; an interrupt takes the same way
      process.waitFor();
      assertThat(temporary).as(Files.readString(output.toPath())).isEmptyDirectory();
      assertThat(Files.readString(output.toPath())).doesNotContain("exit code");
    } finally {
      process.destroyForcibly();
    }
  }

  private static boolean isThere(Path temporary, String sign) throws IOException {
    try (Stream<Path> files = Files.walk(temporary)) {
      return files.anyMatch(file -> file.getFileName().toString().startsWith(sign));
    } catch (UncheckedIOException e) {
      return false; // a file went while we looked
    }
  }

  @Test
  void differencesAreFound() throws IOException {
    Path a = Files.write(temp.resolve("a"), new byte[] {1, 2, 3});
    Path b = Files.write(temp.resolve("b"), new byte[] {1, 2, 4});
    Files.writeString(temp.resolve("a.txt"), "summary");
    Files.writeString(temp.resolve("b.txt"), "summary");

    DemoReport report = DemoReport.of(1, List.of(), List.of(), a, b);

    assertThat(report.identical()).isFalse();
    assertThat(report.conclusion()).isEqualTo("NOT the same: the results differ from byte 2 on.");
  }

  @Test
  void aDirectoryInUseIsLeftAlone() throws IOException {
    Files.writeString(temp.resolve("precious"), "x");

    Cli.Result result = Cli.run("demo", "--dir", temp);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("is not empty");
    assertThat(temp.resolve("precious")).exists();
  }

  @Test
  void theSameSeedMeansTheSameMoments() {
    assertThat(KillPlan.of(5, 1000, 42)).isEqualTo(KillPlan.of(5, 1000, 42));
    assertThat(KillPlan.of(5, 1000, 42))
        .isNotEqualTo(KillPlan.of(5, 1000, 43))
        .allMatch(kill -> kill.iteration() >= 150 && kill.iteration() <= 850)
        .isSortedAccordingTo((x, y) -> Long.compare(x.iteration(), y.iteration()));
  }

  @Test
  void tornEventsAreSkipped() throws IOException {
    Files.writeString(
        temp.resolve("events.jsonl"),
        """
        {"time":"2026-01-01T00:00:00Z","event":"open"}
        {"event":"checkpoint","version":"1.1","full":true,"blocks":4,"dirtyBlocks":4,"bytesWr
        {"event":"checkpoint","version":"1.2","blocks":4,"dirtyBlocks":1,"bytesWritten":99,"new":[]}
        """);

    assertThat(CheckpointEvents.read(temp))
        .containsExactly(new CheckpointEvents.Taken("1.2", false, 1, 4, 99, 0, 0));
  }
}
