// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.cairn.cli.Cli;
import org.cairn.cli.Main;
import org.cairn.cli.command.Folder;
import org.cairn.cli.command.SameJava;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * What {@code examples/} has compiles, crashes where it is told to, and comes back. All crash in
 * one directory, as those of somebody do who tries them; what does not crash shares a JVM.
 */
@Timeout(600)
@Tag("slow")
class ExamplesTest {
  private static final Path SOURCES = Path.of("..", "examples").toAbsolutePath().normalize();

  /** One is run from source, as the README says it; the others are compiled once. */
  private static final String FROM_SOURCE = "Wave";

  /**
   * An example, and what is to be seen of it.
   *
   * @param ranks how it is started
   * @param then how it is started after the crash
   * @param signs what that says
   */
  private record Example(
      String name,
      List<String> ranks,
      List<String> then,
      String crashAt,
      String result,
      List<String> signs) {

    static Example alone(String name, String crashAt, String result, String sign) {
      return new Example(name, List.of(), List.of(), crashAt, result, List.of(sign));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<String> TWO = List.of("-n", "2", "--threads");
  private static final List<String> NODES =
      List.of("-n", "2", "--threads", "--domains", "per-rank");

  static final List<Example> EXAMPLES =
      List.of(
          Example.alone("Wave", "650", "wave.txt", "version 1.6"),
          Example.alone("Growing", "33000", "primes.txt", "version 1.3"),
          Example.alone("Annotated", "700", "walk.txt", "version 1.3"),
          Example.alone("Loops", "900", "loops.txt", "step 900"),
          new Example(
              "Halo",
              TWO,
              List.of("-n", "3", "--threads"),
              "250",
              "halo.txt",
              List.of("version 1.2")),
          new Example(
              "Tiered", NODES, NODES, "70", "tiered.txt", List.of("version 1.7", "partner")));

  @TempDir static Path temp;

  private static final Map<String, Integer> CRASHED = new HashMap<>();
  private static final Map<String, List<String>> WORDS = new HashMap<>();
  private static Path home;
  private static String before;
  private static String after;
  private static Path undisturbed;
  private static String undisturbedOutput;

  @BeforeAll
  static void runAll() throws Exception {
    home = Files.createDirectories(temp.resolve("home"));
    undisturbed = Files.createDirectories(temp.resolve("undisturbed"));
    for (Example example : EXAMPLES) {
      String source = SOURCES.resolve(example.name + ".java").toString();
      WORDS.put(
          example.name,
          example.name.equals(FROM_SOURCE)
              ? List.of(source)
              : App.ready(source, "", temp.resolve("classes")).words());
    }
    before = crash();
    Folder.delete(home.resolve("checkpoints/tiered/rank1")); // a node is lost
    after = oneAfterTheOther(home, true);
    undisturbedOutput = oneAfterTheOther(undisturbed, false);
  }

  private static String crash() throws Exception {
    Map<String, Process> running = new HashMap<>();
    for (Example example : EXAMPLES) {
      List<String> words = words(example, example.ranks);
      words.addAll(List.of("--crash-at", example.crashAt));
      running.put(example.name, start(Main.class, words, home, example.name + ".out"));
    }
    StringBuilder output = new StringBuilder();
    for (Example example : EXAMPLES) {
      CRASHED.put(example.name, running.get(example.name).waitFor());
      output.append(Files.readString(home.resolve(example.name + ".out"), UTF_8));
    }
    for (Example example : EXAMPLES) {
      assertThat(home.resolve(example.result)).doesNotExist();
    }
    return output.toString();
  }

  private static List<String> words(Example example, List<String> ranks) {
    List<String> words = new ArrayList<>(List.of("run"));
    words.addAll(ranks);
    words.addAll(WORDS.get(example.name));
    return words;
  }

  private static String oneAfterTheOther(Path directory, boolean again) throws Exception {
    List<String> commands = new ArrayList<>();
    for (Example example : EXAMPLES) {
      List<String> words = words(example, again ? example.then : example.ranks);
      commands.add(OneAfterTheOther.command(example.name, words));
    }
    start(OneAfterTheOther.class, commands, directory, "all.out").waitFor();
    return Files.readString(directory.resolve("all.out"), UTF_8);
  }

  private static Process start(Class<?> main, List<String> words, Path directory, String output)
      throws IOException {
    return new ProcessBuilder(SameJava.command(main, words))
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve(output).toFile())
        .start();
  }

  /** What one of several printed until it ended well. */
  private static String outputOf(Example example, String all) {
    for (OneAfterTheOther.Ended ended : OneAfterTheOther.read(all)) {
      if (ended.name().equals(example.name)) {
        assertThat(ended.exitCode()).as(ended.output()).isZero();
        return ended.output();
      }
    }
    throw new AssertionError(example + " did not end: " + all);
  }

  @ParameterizedTest
  @FieldSource("EXAMPLES")
  void comesBack(Example example) {
    assertThat(CRASHED.get(example.name)).as(before).isEqualTo(1);
    assertThat(outputOf(example, after)).contains(example.signs);
    assertThat(outputOf(example, undisturbedOutput)).isNotEmpty();
    assertThat(home.resolve(example.result))
        .hasSameBinaryContentAs(undisturbed.resolve(example.result));
  }

  @Test
  void saysWhatTheReadmeShows() {
    assertThat(before)
        .contains("nothing was restored")
        .contains("step 100: checkpoint 1.1: durable, 3 of 3 blocks changed");
  }

  @Test
  void whatDoesNotCompileIsToldByItsLine() throws Exception {
    Path wrong = Files.writeString(temp.resolve("Wrong.java"), "void main() {\n  int x = y;\n}\n");

    Cli.Result result = Cli.run("run", wrong);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .contains("Wrong.java does not compile; line 2: cannot find symbol")
        .doesNotContain("\tat ");
  }

  /** Loops of a mesh are made of the class files of their kernels: else they run far slower. */
  @Test
  void aProgramOfOneFileFindsItsOwnClassFiles() throws Exception {
    Path program =
        Files.writeString(
            temp.resolve("Finds.java"),
            """
            public class Finds {
              static class Inner {}
              public static void main(String[] arguments) throws java.io.IOException {
                for (var type : new Class<?>[] {Finds.class, Inner.class}) {
                  try (var file = type.getResourceAsStream(type.getName() + ".class")) {
                    if (new java.io.DataInputStream(file).readInt() != 0xCAFEBABE) {
                      throw new AssertionError(type + " is another file");
                    }
                  }
                }
                if (Finds.class.getResource("Other.class") != null) {
                  throw new AssertionError("there is no such class");
                }
              }
            }
            """);

    Cli.Result result = Cli.run("run", program);

    assertThat(result.err()).isEmpty();
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void allOfThemAreHere() throws IOException {
    try (Stream<Path> files = Files.list(SOURCES)) {
      assertThat(files.filter(file -> file.toString().endsWith(".java"))).hasSameSizeAs(EXAMPLES);
    }
  }
}
