// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.cli.Main;
import org.cairn.cli.command.Folder;
import org.cairn.cli.command.SameJava;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code examples/} has compiles, crashes where it is told to, and comes back. */
@Timeout(600)
@Tag("slow")
class ExamplesTest {
  private static final Path EXAMPLES = Path.of("..", "examples");

  @TempDir Path temp;

  private record Result(int exitCode, String out) {}

  private Result run(Path directory, List<String> ranks, List<String> app, String... arguments)
      throws Exception {
    List<String> words = new ArrayList<>(List.of("run"));
    words.addAll(ranks);
    words.addAll(app);
    words.addAll(List.of(arguments));
    Files.createDirectories(directory);
    File output = directory.resolve("output").toFile();
    Process process =
        new ProcessBuilder(SameJava.command(Main.class, words))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output)
            .start();
    int exitCode = process.waitFor();
    return new Result(exitCode, Files.readString(output.toPath(), UTF_8));
  }

  private List<String> ready(String example) throws IOException {
    String source = EXAMPLES.resolve(example + ".java").toString();
    return App.ready(source, "", temp.resolve("classes")).words();
  }

  @ParameterizedTest
  @CsvSource({
    "Wave,       650, wave.txt,   version 1.6",
    "Growing,  33000, primes.txt, version 1.3",
    "Annotated,  700, walk.txt,   version 1.3",
    "Loops,      900, loops.txt,  step 900"
  })
  void comesBackAlone(String example, String crashAt, String result, String sign) throws Exception {
    List<String> app = ready(example);
    Path home = temp.resolve("a");
    Result crashed = run(home, List.of(), app, "--crash-at", crashAt);
    assertThat(crashed.exitCode).as(crashed.out).isEqualTo(1);
    assertThat(home.resolve(result)).doesNotExist();

    Result again = run(home, List.of(), app);
    assertThat(again.exitCode).as(again.out).isZero();
    assertThat(again.out).contains(sign);
    assertSameUndisturbed(List.of(), app, home.resolve(result));
  }

  private void assertSameUndisturbed(List<String> ranks, List<String> app, Path result)
      throws Exception {
    Path home = temp.resolve("undisturbed");
    Result undisturbed = run(home, ranks, app);
    assertThat(undisturbed.exitCode).as(undisturbed.out).isZero();
    assertThat(result).hasSameBinaryContentAs(home.resolve(result.getFileName()));
  }

  @Test
  void haloComesBackOnAnotherNumberOfRanks() throws Exception {
    List<String> app = ready("Halo");
    List<String> two = List.of("-n", "2", "--threads");
    Path home = temp.resolve("a");
    assertThat(run(home, two, app, "--crash-at", "250").exitCode).isEqualTo(1);

    Result again = run(home, List.of("-n", "3", "--threads"), app);
    assertThat(again.exitCode).as(again.out).isZero();
    assertThat(again.out).contains("version 1.2");
    assertSameUndisturbed(two, app, home.resolve("halo.txt"));
  }

  @Test
  void tieredComesBackWithoutTheFilesOfARank() throws Exception {
    List<String> app = ready("Tiered");
    List<String> ranks = List.of("-n", "2", "--threads", "--domains", "per-rank");
    Path home = temp.resolve("a");
    Result crashed = run(home, ranks, app, "--crash-at", "70");
    assertThat(crashed.exitCode).as(crashed.out).isEqualTo(1);
    Folder.delete(home.resolve("checkpoints/rank1"));

    Result again = run(home, ranks, app);
    assertThat(again.exitCode).as(again.out).isZero();
    assertThat(again.out).contains("version 1.7").contains("partner");
    assertSameUndisturbed(ranks, app, home.resolve("tiered.txt"));
  }

  /** As the README says it: from source. */
  @Test
  void sourceIsRunAsItIs() throws Exception {
    Path wave = EXAMPLES.resolve("Wave.java").toAbsolutePath();
    Result crashed =
        run(temp.resolve("s"), List.of(), List.of(wave.toString()), "--crash-at", "150");

    assertThat(crashed.exitCode).as(crashed.out).isEqualTo(1);
    assertThat(crashed.out).contains("step 100: checkpoint 1.1");
  }

  @Test
  void whatDoesNotCompileIsToldByItsLine() throws Exception {
    Path wrong = Files.writeString(temp.resolve("Wrong.java"), "void main() {\n  int x = y;\n}\n");

    Result result = run(temp.resolve("w"), List.of(), List.of(wrong.toString()));

    assertThat(result.exitCode).isEqualTo(1);
    assertThat(result.out)
        .contains("Wrong.java does not compile; line 2: cannot find symbol")
        .doesNotContain("\tat ");
  }

  @Test
  void thereAreSix() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      assertThat(files.filter(file -> file.toString().endsWith(".java"))).hasSize(6);
    }
  }
}
