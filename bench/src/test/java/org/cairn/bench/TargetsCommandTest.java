// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import org.cairn.cli.terminal.Terminal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("slow")
class TargetsCommandTest {
  @Test
  void everyBoundOfAMomentIsARow(@TempDir Path temp) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(stream, () -> stream, 0);

    // Whether bounds are kept is the machine's affair.
    int code =
        new CommandLine(new TargetsCommand(terminal))
            .execute(
                "--parts",
                "fixed,asynchronous,tiers",
                "--size",
                "16MiB",
                "--rounds",
                "1",
                "--dir",
                temp.toString());

    assertThat(code).isLessThan(2);
    assertThat(out.toString(UTF_8))
        .contains("3 %: beside hash and raw write", "nothing dirty: beside hash")
        .contains("asynchronous 3 %, staging as large as the state")
        .contains("asynchronous 100 %, default staging")
        .contains("two ranks with parity, 100 %", "rebuild of a rank from parity")
        .contains("bounds of moments kept");
    assertThat(temp).isEmptyDirectory();
  }
}
