// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.cli.Main;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is printed fits, also where it is piped and somebody has said how wide it may be. */
class WidthTest {
  private static final Pattern UNIT_FIRST =
      Pattern.compile("\\s*((B|KiB|MiB|ns|ms|s|min|h|d|y)\\b|%)");

  private static final Pattern SUBCOMMAND = Pattern.compile("  ([a-z-]+)  +\\S");

  private static final String MACHINE = "--mtbf 5y --sockets 20000 --checkpoint 5min";

  @TempDir Path temp;

  private static String run(int columns, Object... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(stream, () -> stream, columns, false, Colours.NONE);
    Main.run(terminal, Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    return out.toString(UTF_8);
  }

  private static void assertFits(String text, int columns) {
    assertThat(text).isNotEmpty();
    assertThat(text.lines())
        .allMatch(line -> line.codePointCount(0, line.length()) <= columns)
        .noneMatch(line -> UNIT_FIRST.matcher(line).lookingAt());
  }

  private Path checkpoints() {
    Path directory = temp.resolve("c");
    try (Checkpointer cairn = Checkpointer.open(directory)) {
      cairn.protect("u", new double[1000]);
      cairn.checkpoint();
      cairn.checkpoint();
    }
    return directory;
  }

  @ParameterizedTest
  @ValueSource(ints = {60, 80, 200})
  void tablesFit(int columns) {
    // A path is one word; it is as long as it is.
    Path directory = checkpoints();
    int path = directory.resolve("rank0.cairn").toString().length();
    assertFits(run(columns, "ls", directory), Math.max(columns, path + 30));
    assertFits(run(columns, "show", directory), Math.max(columns, path + 30));
  }

  /** Of all commands, and those below them. */
  @ParameterizedTest
  @ValueSource(ints = {60, 80})
  void helpFits(int columns) {
    List<List<String>> commands = new ArrayList<>(List.of(List.of()));
    for (int i = 0; i < commands.size(); i++) {
      List<String> command = commands.get(i);
      List<String> words = new ArrayList<>(command);
      words.add(0, "help");
      String help = run(columns, words.toArray());
      assertFits(help, columns);
      help.lines()
          .dropWhile(line -> !line.equals("Commands:"))
          .takeWhile(line -> !line.isEmpty())
          .map(SUBCOMMAND::matcher)
          .filter(Matcher::lookingAt)
          .forEach(
              name ->
                  commands.add(Stream.concat(command.stream(), Stream.of(name.group(1))).toList()));
    }
    assertThat(commands).hasSizeGreaterThan(30).contains(List.of("plan", "interval"));
  }

  /** A command that does not fit goes on after a backslash, as shells read it. */
  @Test
  void examplesCanBeCopied() {
    String wide = run(200, "help", "plan", "simulate");
    String narrow = run(60, "help", "plan", "simulate");
    assertThat(narrow).contains(" \\\n      --");
    assertThat(commandsOf(narrow)).isEqualTo(commandsOf(wide)).hasSizeGreaterThan(4);
    assertThat(run(60, "--help"))
        .contains(
            "\n  cairn run -n 4 heat2d               run a program on four\n"
                + " ".repeat(38)
                + "ranks\n");
  }

  private static List<String> commandsOf(String help) {
    return help.replaceAll(" \\\\\n +", " ")
        .lines()
        .filter(line -> line.startsWith("  cairn "))
        .toList();
  }

  private static String answer(int columns, String question) {
    String answer = run(columns, (Object[]) question.split(" "));
    assertThat(answer).as(question).doesNotContain("cairn plan");
    return answer;
  }

  /** Those that simulate nothing. */
  private static List<String> questions() {
    return List.of(
        "plan interval " + MACHINE,
        "plan wall-time --work 500h --mtbf 24h --checkpoint 5min",
        "plan replication " + MACHINE,
        "plan multilevel --level local,cost=5s,restart=5s,mtbf=1d"
            + " --level shared,cost=10min,restart=15min,mtbf=100d");
  }

  private static List<String> answers() {
    return questions().stream().map(question -> answer(80, question)).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {60, 80, 200})
  void plansFit(int columns) {
    for (String question : questions()) {
      assertFits(answer(columns, question), columns);
    }
  }

  /** Decimal points, months and the dotless i of other places do not get into what is printed. */
  @Test
  void plansReadTheSameEverywhere() {
    List<String> expected = answers();
    Locale usual = Locale.getDefault();
    try {
      for (String place : List.of("de-DE", "tr-TR", "ar-EG")) {
        Locale.setDefault(Locale.forLanguageTag(place));
        assertThat(answers()).as(place).isEqualTo(expected);
      }
    } finally {
      Locale.setDefault(usual);
    }
  }

  @Test
  void aTableThatIsTooWideIsTurnedOnItsSide() {
    Table table =
        new Table("version", ">size", "remark")
            .row("1.3", "4.00 MiB", "a remark of several words that is rather long")
            .row("1.4", "8.00 MiB", "");

    assertThat(table.toString(200)).isEqualTo(table.toString());
    assertThat(table.toString(40).lines())
        .containsExactly(
            "version  1.3",
            "size     4.00 MiB",
            "remark   a remark of several words that",
            "         is rather long",
            "──────────────",
            "version  1.4",
            "size     8.00 MiB",
            "──────────────");
  }

  @Test
  void coloursAreUsedWhereTheyAreAskedFor() {
    Path missing = temp.resolve("missing");

    assertThat(run(100, "doctor", missing, "--color", "always")).contains("\u001B[1;31m");
    assertThat(run(100, "doctor", missing, "--color", "never")).doesNotContain("\u001B");
    assertThat(run(100, "doctor", missing)).doesNotContain("\u001B");
  }
}
