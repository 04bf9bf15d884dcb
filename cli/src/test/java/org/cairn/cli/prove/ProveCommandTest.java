// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.cairn.cli.Cli;
import org.cairn.cli.command.Folder;
import org.cairn.testkit.random.OnlyThorough;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** With real processes and real kills. */
@Timeout(900)
@Tag("slow")
class ProveCommandTest {
  @TempDir Path temp;

  private Cli.Result prove(List<?> options, Object... arguments) throws URISyntaxException {
    List<Object> words = new ArrayList<>(List.of("prove", ProvedProgram.class.getName()));
    Path classes =
        Path.of(ProvedProgram.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    words.addAll(List.of("--class-path", classes, "--dir", temp.resolve("p")));
    words.addAll(options);
    words.add("--");
    words.addAll(Arrays.asList(arguments));
    return Cli.run(words.toArray());
  }

  @Test
  void aProgramThatProtectsEverythingIsTheSame() throws Exception {
    Cli.Result result =
        prove(List.of("--runs", 2, "--seed", 3, "--result", "sums0.txt", "--json"), "all");

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    JsonNode report = result.json();
    assertThat(report.get("proved").asBoolean()).isTrue();
    assertThat(report.get("checkpoints").asInt()).isEqualTo(10);
    assertThat(report.get("counted").asInt()).isEqualTo(2);
    assertThat(report.get("runs").values())
        .allMatch(run -> run.get("verdict").asString().equals("SAME"))
        .allMatch(run -> run.get("kills").size() >= 1 && run.get("restored").size() >= 1)
        .extracting(run -> run.get("seed").asLong())
        .containsExactly(3L, 4L);
    // A directory that was given stays, empty.
    assertThat(temp.resolve("p")).isEmptyDirectory();
  }

  @Test
  void anArrayThatWasForgottenIsFound() throws Exception {
    Cli.Result result =
        prove(List.of("--runs", 1, "--seed", 5, "--result", "sums0.txt"), "forgets");

    assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(1);
    assertThat(result.out())
        .contains("DIFFERENT")
        .contains("seed 5")
        .contains("sums0.txt differs from byte ")
        .contains("line 1 is \"[")
        .contains("1 of 1 runs count");
    assertThat(oneLine(result.out())).contains("is not protected").contains("Its files are in");
    assertThat(temp.resolve("p/r1/work/sums0.txt")).exists();
  }

  @Test
  void chanceIsToldApart() throws Exception {
    Cli.Result result = prove(List.of("--result", "sums0.txt"), "random");

    assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(1);
    assertThat(oneLine(result.out()))
        .contains("not deterministic: two undisturbed runs differ. sums0.txt differs from byte ");
  }

  @Test
  void nothingElseIsTouched() throws Exception {
    Path precious = Files.createDirectory(temp.resolve("precious"));

    Cli.Result result = prove(List.of("--result", "sums0.txt"), "outside", precious);

    assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(1);
    assertThat(oneLine(result.out()))
        .contains("fails undisturbed")
        .contains(precious + " is outside of")
        .contains("--shared");
    assertThat(precious).isEmptyDirectory();
  }

  @Test
  @OnlyThorough
  void aProgramWithoutCheckpointsIsToldSo() throws Exception {
    Cli.Result result = prove(List.of("--result", "sums0.txt"), "never");

    assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(1);
    assertThat(result.out()).contains("never takes a checkpoint");
  }

  @Test
  @OnlyThorough
  void aHangIsShownWithItsStack() throws Exception {
    Cli.Result result = prove(List.of("--runs", 1, "--seed", 5, "--result", "sums0.txt"), "hangs");

    assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(1);
    assertThat(result.out())
        .contains("HANG")
        .contains("\"main\"")
        .contains("at org.cairn.cli.prove.ProvedProgram.main");
    assertThat(temp.resolve("p/r1/stacks")).exists();
  }

  @Test
  @OnlyThorough
  void aSharedDirectoryHasToBeGiven() throws Exception {
    Path shared = temp.resolve("shared");
    List<Object> options = new ArrayList<>(List.of("--runs", 3, "--result", "sums0.txt"));
    Cli.Result refused = prove(options, "shared", shared);
    assertThat(refused.exitCode()).as(refused.out() + refused.err()).isEqualTo(1);
    assertThat(oneLine(refused.out())).contains(shared + "/events.jsonl is outside");

    options.addAll(List.of("--shared", shared));
    deleteLeftovers();
    Cli.Result given = prove(options, "shared", shared);
    assertThat(given.exitCode()).as(given.out() + given.err()).isZero();
    assertThat(shared).isEmptyDirectory();
  }

  private void deleteLeftovers() throws IOException {
    Folder.empty(temp.resolve("p"));
  }

  @Test
  @OnlyThorough
  @DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
  void ranksAreKilledAndLoseTheirFiles() throws Exception {
    Cli.Result result =
        prove(
            List.of(
                "-n", 3, "--runs", 6, "--seed", 11, "--json", "--result", "sums0.txt", "sums2.txt"),
            "all");

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    List<JsonNode> kills = new ArrayList<>();
    result.json().get("runs").forEach(run -> run.get("kills").forEach(kills::add));
    // All of them, where a launcher has not yet told which process is which.
    assertThat(kills).allMatch(kill -> List.of(1, 3).contains(kill.get("ranks").size()));
    assertThat(kills).anyMatch(kill -> kill.get("ranks").size() == 1);
    assertThat(kills).anyMatch(kill -> kill.get("deleted").size() == 1);
  }

  @Test
  @OnlyThorough
  void ranksCanBeThreads() throws Exception {
    Cli.Result result =
        prove(List.of("-n", 2, "--mpi", "none", "--runs", 2, "--result", "sums1.txt"), "all");

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    assertThat(result.out()).contains("threads of one process");
  }

  @Test
  void wrongUsageIsTold() throws IOException {
    Path full = Files.createDirectory(temp.resolve("full"));
    Files.writeString(full.resolve("x"), "x");
    assertUsage("say which program", "prove");
    assertUsage("--result FILE", "prove", "app.jar");
    assertUsage("relative to the working directory", "prove", "a.jar", "--result", "/tmp/x");
    assertUsage("relative to the working directory", "prove", "a.jar", "--result", "../x");
    assertUsage("at least 1", "prove", "a.jar", "--result", "x", "--runs", "0");
    assertUsage("needs -n", "prove", "a.jar", "--result", "x", "--mpi", "mpich");
    assertUsage("is not empty", "prove", "a.jar", "--result", "x", "--shared", full);
    assertThat(full.resolve("x")).exists();
  }

  @Test
  void aProgramThatIsNoneIsTold() {
    Cli.Result result = Cli.run("prove", temp.resolve("no.jar"), "--result", "x");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("cairn prove: no program").contains("no.jar");
  }

  private static void assertUsage(String message, Object... words) {
    Cli.Result result = Cli.run(words);
    assertThat(result.exitCode()).as(result.err()).isEqualTo(2);
    assertThat(result.err()).contains(message);
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }
}
