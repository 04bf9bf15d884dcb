// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.cairn.cli.command.SameJava;
import org.cairn.cli.run.OneAfterTheOther;

/** Runs sessions of a page, all in one JVM, and compares what they print with what is shown. */
final class Sessions {
  private static final Path EXAMPLES = Path.of("..", "examples").toAbsolutePath().normalize();

  private Sessions() {}

  /**
   * Runs them.
   *
   * @param home the working directory; it gets the examples
   */
  static void check(List<Session> sessions, Path home) throws Exception {
    Path output = home.resolve("sessions.out");
    Path examples = Files.createSymbolicLink(home.resolve("examples"), EXAMPLES);
    Files.writeString(home.resolve("Forgets.java"), forgets());
    ProcessBuilder java =
        new ProcessBuilder(SameJava.command(OneAfterTheOther.class, commands(sessions)))
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    java.environment().remove("COLUMNS");
    java.start().waitFor();
    Files.delete(examples);
    String printed = Files.readString(output, UTF_8);
    List<OneAfterTheOther.Ended> ended = OneAfterTheOther.read(printed);
    SoftAssertions.assertSoftly(
        softly -> {
          for (int i = 0; i < sessions.size(); i++) {
            compare(softly, sessions.get(i), named(ended, Integer.toString(i), printed));
          }
        });
  }

  /** The program of which a page says that it is the wave without one array. */
  private static String forgets() throws IOException {
    String wave = Files.readString(EXAMPLES.resolve("Wave.java"), UTF_8);
    String forgets = wave.replace("cairn.protect(\"before\", before);", "");
    assertThat(forgets).isNotEqualTo(wave);
    return forgets;
  }

  /** Each named by its index, and those that prepare it by none. */
  private static List<String> commands(List<Session> sessions) {
    List<String> commands = new ArrayList<>();
    for (int i = 0; i < sessions.size(); i++) {
      Session session = sessions.get(i);
      session.preparations().forEach(words -> commands.add(OneAfterTheOther.command("-", words)));
      commands.add(OneAfterTheOther.command(Integer.toString(i), asThreads(session.words())));
    }
    return commands;
  }

  /** Ranks of a page may be processes, which not every machine can start; they print the same. */
  private static List<String> asThreads(List<String> words) {
    if (!words.getFirst().equals("run") || !words.contains("-n") || words.contains("--threads")) {
      return words;
    }
    List<String> changed = new ArrayList<>(words);
    changed.add(1, "--threads");
    return changed;
  }

  private static OneAfterTheOther.Ended named(
      List<OneAfterTheOther.Ended> all, String name, String printed) {
    return all.stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("command " + name + " did not end: " + printed));
  }

  private static void compare(
      SoftAssertions softly, Session session, OneAfterTheOther.Ended ended) {
    String printed =
        ended.output().lines().map(line -> Masked.of(line) + "\n").collect(Collectors.joining());
    softly
        .assertThat(ended.exitCode() != 0)
        .as("%s fails: %s", session, ended.output())
        .isEqualTo(session.fails());
    softly.assertThat(printed).as(session.toString()).matches(session.expectedMasked());
    if (!session.printed().isEmpty()) {
      softly
          .assertThat(session.shown())
          .as("%s, as it is shown", session)
          .containsSubsequence(session.printed());
    }
  }
}
