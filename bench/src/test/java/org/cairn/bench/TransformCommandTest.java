// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.cairn.cli.terminal.Terminal;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class TransformCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int run(String... more) {
    PrintStream stream = new PrintStream(out, true, UTF_8);
    CommandLine command =
        new CommandLine(new TransformCommand(new Terminal(stream, () -> stream, 0)));
    String[] arguments = {"--size", "4KiB", "--warmup", "0", "--rounds", "1"};
    String[] all = new String[arguments.length + more.length];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    System.arraycopy(more, 0, all, arguments.length, more.length);
    return command.execute(all);
  }

  @Test
  void everyTransformIsThereForBothOrders() {
    assertThat(run()).isZero();
    assertThat(out.toString(UTF_8))
        .contains(
            "copy", "shuffle2 ", "shuffle24", "delta ", "lorenzo2+shuffle4", "lorenzo3+shuffle8")
        .contains("float64", "float32, big", "record192");
  }

  @Test
  void machinesGetJson() {
    assertThat(run("--json")).isZero();
    assertThat(out.toString(UTF_8)).contains("\"forwardOfCopy\"", "\"lorenzo3\"");
  }
}
