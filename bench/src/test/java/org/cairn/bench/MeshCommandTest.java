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

class MeshCommandTest {
  @TempDir Path folder;

  private String run(String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, UTF_8);
    CommandLine command = new CommandLine(new MeshCommand(new Terminal(stream, () -> stream, 0)));
    assertThat(command.execute(words)).isZero();
    assertThat(folder).isEmptyDirectory();
    return out.toString(UTF_8);
  }

  @Test
  void everyWayToSaveEndsWithTheSameBits() {
    String table =
        run(
            "--parts",
            "table1",
            "--table-cells",
            "16",
            "--steps",
            "10",
            "--dir",
            folder.toString());
    assertThat(table)
        .contains("plain", "no info", "initial phase", "+ fast-forward", "field list")
        .contains("triggered", "thread offload", "in memory", "one file")
        .doesNotContain("DIFFERENT");
  }

  @Test
  void fieldsAreSavedOnce() {
    String json =
        run(
            "--parts",
            "save",
            "--cells",
            "32",
            "--cube-cells",
            "8",
            "--json",
            "--dir",
            folder.toString());
    assertThat(json).contains("\"CloverLeaf 2D\"", "\"Poisson\"", "\"7 points\"", "\"written\"");
  }
}
