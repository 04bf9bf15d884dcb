// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.cairn.Checkpointer;
import org.cairn.cli.Main;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is printed fits, also where it is piped and somebody has said how wide it may be. */
class WidthTest {
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
        .noneMatch(line -> line.matches("\\s*(KiB|MiB|ms|s|%)\\b.*"));
  }

  /** They are commands, to be copied as they are. */
  private static String withoutExamples(String help) {
    return help.lines()
        .filter(line -> !line.startsWith("  cairn ") && !line.startsWith("Exit codes"))
        .collect(Collectors.joining("\n"));
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
  void tablesAndHelpFit(int columns) {
    // A path is one word; it is as long as it is.
    Path directory = checkpoints();
    int path = directory.resolve("rank0.cairn").toString().length();
    assertFits(withoutExamples(run(columns, "--help")), columns);
    assertFits(run(columns, "ls", directory), Math.max(columns, path + 30));
    assertFits(run(columns, "show", directory), Math.max(columns, path + 30));
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
