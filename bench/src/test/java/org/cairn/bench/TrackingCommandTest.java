// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.cairn.cli.terminal.Terminal;
import org.cairn.track.SharedPages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TrackingCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(out, true, UTF_8);
  private final CommandLine command =
      new CommandLine(new TrackingCommand(new Terminal(stream, () -> stream, 0)));

  @TempDir Path temp;

  @Test
  void whatMakesNoSenseIsRefused() {
    command.setErr(new PrintWriter(out, true, UTF_8));
    assertThat(command.execute("--size", "0")).isEqualTo(2);
    assertThat(command.execute("--percents", "3,101")).isEqualTo(2);
    assertThat(command.execute("--parts", "all")).isEqualTo(2);
    assertThat(out.toString(UTF_8))
        .contains("--size, --rounds and --checkpoints are at least 1, --threads 0")
        .contains("--percents are 0 to 100, not 101")
        .contains("[scans, choices, durable]");
  }

  /** Whether bounds are kept is the machine's affair. */
  @Test
  void allPartsAreMeasuredAndNothingIsLeft() {
    assumeTrue(SharedPages.get().isAvailable(), SharedPages.get().why());
    int code =
        command.execute(
            "--size=8",
            "--rounds=1",
            "--checkpoints=2",
            "--percents=3",
            "--threads=1",
            "--memory=" + temp,
            "--directory=" + temp);
    assertThat(code).isZero();
    assertThat(out.toString(UTF_8))
        .contains("8 MiB outside of the Java heap", "3 % scattered", "3 % in a row, same values")
        .contains("Writing and 2 checkpoints to memory", "tracked", "durable: ", "two forces");
    assertThat(temp).isEmptyDirectory();
  }
}
