// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import org.cairn.cli.terminal.Terminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RanksCommandTest {
  @TempDir Path temp;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int run(String... arguments) {
    PrintStream stream = new PrintStream(out, true, UTF_8);
    return new CommandLine(new RanksCommand(new Terminal(stream, () -> stream, 0)))
        .execute(arguments);
  }

  @Test
  void otherNumbersAreComparedWithTheSame() {
    assertThat(
            run("--mib", "4", "--rounds", "1", "--pairs", "2-2,2-3,3-1", "--dir", temp.toString()))
        .isZero();
    assertThat(out.toString(UTF_8))
        .contains(
            "2 → 2", "1.00", "2 → 3", "3 → 1", "returned", "raw write, forced", "read / needed");
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void fromTheSharedDirectoryAsJson() {
    assertThat(
            run(
                "--mib",
                "2",
                "--rounds",
                "1",
                "--pairs",
                "2-2,2-3",
                "--shared",
                "--json",
                "--dir",
                temp.toString()))
        .isZero();
    assertThat(out.toString(UTF_8))
        .contains("\"before\"", "\"restoredRatio\"", "\"returnedRatio\"");
  }

  @Test
  void sayingHowArraysAreDividedIsMeasuredBesideNotSayingIt() {
    assertThat(run("--mib", "1", "--rounds", "1", "--describe", "--dir", temp.toString())).isZero();
    assertThat(out.toString(UTF_8)).contains("checkpoints of 4 ranks", "with parts", "without");
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void anUnknownMpiIsRefusedByName() {
    assertThat(run("--mib", "1", "--rounds", "1", "--mpi", "pvm", "--dir", temp.toString()))
        .isNotZero();
  }
}
