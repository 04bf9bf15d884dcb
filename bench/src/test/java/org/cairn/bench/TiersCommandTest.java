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
class TiersCommandTest {
  private static final String[] SMALL = {
    "--quick", "--threads", "--ranks", "2", "--size", "64KiB", "--traffic-size", "4MiB",
    "--rebuild-size", "2MiB", "--rounds", "1", "--every", "2", "--checkpoints", "1"
  };

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  @TempDir Path temp;

  private int run(String... more) {
    PrintStream stream = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(stream, () -> stream, 0);
    CommandLine command = new CommandLine(new TiersCommand(terminal));
    String[] arguments = new String[SMALL.length + more.length + 2];
    System.arraycopy(SMALL, 0, arguments, 0, SMALL.length);
    arguments[SMALL.length] = "--dir";
    arguments[SMALL.length + 1] = temp.toString();
    System.arraycopy(more, 0, arguments, SMALL.length + 2, more.length);
    return command.execute(arguments);
  }

  @Test
  void tablesTellCostsTrafficAndRebuild() {
    assertThat(run()).isZero();

    assertThat(out.toString(UTF_8))
        .contains("iterations lost", "+partner", "+erasure", "+shared", "203300.20703055168")
        .contains("sent / (m × dirty)", "erasure, m = 2", "PASS")
        .contains("rebuild / copy")
        .doesNotContain("MISS", "DIFFERENT");
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void machinesGetJson() {
    assertThat(run("--parts", "traffic,rebuild", "--json")).isZero();

    assertThat(out.toString(UTF_8))
        .contains("\"traffic\"", "\"rebuild\"", "\"copies\"")
        .doesNotContain("\"heat\"");
  }
}
