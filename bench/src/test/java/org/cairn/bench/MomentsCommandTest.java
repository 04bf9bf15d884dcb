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
class MomentsCommandTest {
  @Test
  void processesOfTheirOwnAreMeasured(@TempDir Path temp) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(stream, () -> stream, 0);

    // Whether bounds are kept is the machine's affair.
    int code =
        new CommandLine(new MomentsCommand(terminal))
            .execute("--size", "16MiB", "--rounds", "1", "--dir", temp.toString());

    assertThat(code).isLessThan(2);
    assertThat(out.toString(UTF_8))
        .contains("restart in a fresh process", "of that, opening", "first checkpoint of a process")
        .contains("100 % after small changes", "blocks moved where nothing changed")
        .contains("two ranks of half the size", "an empty process", "in the worst 32 in a row");
    assertThat(temp).isEmptyDirectory();
  }
}
