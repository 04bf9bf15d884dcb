// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.cairn.cli.terminal.Terminal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CompareCommandTest {
  private static final String TARGETS =
      """
      {"settings": "quick", "targets": [
        {"file": "", "name": "hash all blocks", "ratio": %s, "bound": {"limit": 0.6, "atLeast": true}},
        {"file": "young", "name": "3 %% dirty", "ratio": %s, "bound": {"limit": 1.5, "atLeast": false}},
        {"file": "young", "name": "  hash pass", "ratio": %s, "bound": null}]}
      """;

  private static final String TIERS =
      """
      {"heat": [
         {"ranks": 2, "tier": "+partner", "asynchronous": true,
          "iterationMilliseconds": 5.0, "milliseconds": 2.5},
         {"ranks": 2, "tier": "+shared", "asynchronous": false,
          "iterationMilliseconds": 5.0, "milliseconds": 3.5}],
       "traffic": [{"tier": "partner", "dirty": 7, "sent": 2000000, "copies": 1, "maps": 1}],
       "rebuild": [{"tier": "erasure", "restart": 0.5, "rebuild": 1.0, "redundancy": 2.0,
                    "copy": 0.25, "ratio": 4.0}]}
      """;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  @TempDir Path temp;

  @BeforeEach
  void checkouts() throws IOException {
    for (String build : List.of("before", "after")) {
      Files.createDirectory(temp.resolve(build));
    }
  }

  /** A build that prints what it is told to, and notes that it was called. */
  private void build(String name, String printed, int exit) throws IOException {
    Path script = temp.resolve(name).resolve("cairn");
    Files.writeString(temp.resolve(name).resolve("printed"), printed);
    Files.writeString(
        script,
        """
        #!/bin/sh
        echo "%1$s $*" >> "%2$s/calls"
        cat "%2$s/%1$s/printed"
        echo sorry >&2
        exit %3$d
        """
            .formatted(name, temp, exit));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }

  private int compare(String... options) {
    PrintStream stream = new PrintStream(out, true, UTF_8);
    CommandLine command =
        new CommandLine(new CompareCommand(new Terminal(stream, () -> stream, 0)))
            .setErr(new java.io.PrintWriter(stream, true));
    String[] arguments = new String[options.length + 2];
    arguments[0] = temp.resolve("before").toString();
    arguments[1] = temp.resolve("after").toString();
    System.arraycopy(options, 0, arguments, 2, options.length);
    return command.execute(arguments);
  }

  private List<String> printed() {
    return out.toString(UTF_8).lines().toList();
  }

  @Test
  void buildsTakeTurnsAndWhatIsWorseIsSaid() throws IOException {
    build("before", TARGETS.formatted("0.5", "2.0", "1.0"), 1);
    build("after", TARGETS.formatted("0.49", "2.2", "9.0"), 0);

    assertThat(compare("--runs", "3", "--measure", "targets")).isEqualTo(1);

    assertThat(
            Files.readAllLines(temp.resolve("calls")).stream().map(line -> line.split(" ", 2)[0]))
        .containsExactly("before", "after", "after", "before", "before", "after");
    assertThat(Files.readAllLines(temp.resolve("calls")))
        .allSatisfy(line -> assertThat(line).endsWith(" bench targets --json --quick"));
    assertThat(printed())
        .contains(
            "|  | hash all blocks | 0.50 ± 0.00 | 0.49 ± 0.00 | -2 % |  |",
            "| young | 3 % dirty | 2.00 ± 0.00 | 2.20 ± 0.00 | +10 % | WORSE |",
            "| young | hash pass | 1.00 ± 0.00 | 9.00 ± 0.00 | +800 % |  |",
            "3 runs of each; 1 figure is worse by more than 5 % and the interval");
  }

  @Test
  void tiersAreComparedAndEveryRunIsInTheTable() throws IOException {
    build("before", TIERS, 0);
    build("after", TIERS, 0);
    Path csv = temp.resolve("runs.csv");

    assertThat(
            compare(
                "--runs",
                "1",
                "--measure",
                "tiers",
                "--csv",
                csv.toString(),
                "--with",
                "--checkpoints 40"))
        .isZero();

    assertThat(Files.readAllLines(temp.resolve("calls")))
        .allSatisfy(
            line ->
                assertThat(line)
                    .endsWith(" bench tiers --json --quick --threads --checkpoints 40"));
    assertThat(printed())
        .contains(
            "| Heat2D, 2 ranks | ms of an iteration | 5.00 ± 0.00 | 5.00 ± 0.00 | +0 % |  |",
            "| Heat2D, 2 ranks | ms lost to a checkpoint, +partner, asynchronous"
                + " | 2.50 ± 0.00 | 2.50 ± 0.00 | +0 % |  |",
            "| traffic | MB sent, partner | 2.00 ± 0.00 | 2.00 ± 0.00 | +0 % |  |",
            "| rebuild, erasure | ms of rebuild | 1000.00 ± 0.00 | 1000.00 ± 0.00 | +0 % |  |",
            "1 runs of each; nothing is worse by more than 5 % and the interval");
    assertThat(Files.readAllLines(csv))
        .hasSize(1 + 2 * 8)
        .contains("0,AFTER,\"Heat2D, 2 ranks\",\"ms lost to a checkpoint, +shared\",3.5");
  }

  @Test
  void aBuildThatFailsIsNoResult() throws IOException {
    build("before", "", 1);
    build("after", TIERS, 0);

    assertThat(compare("--runs", "1", "--measure", "tiers")).isNotZero();
    assertThat(out.toString(UTF_8)).contains("sorry");

    build("before", "not a figure", 0);
    assertThat(compare("--runs", "1", "--measure", "tiers")).isNotZero();
    assertThat(out.toString(UTF_8)).contains("told no figures");
  }
}
