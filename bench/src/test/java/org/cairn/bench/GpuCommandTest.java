// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import org.cairn.cli.terminal.Terminal;
import org.cairn.device.Devices;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class GpuCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(out, true, UTF_8);
  private final CommandLine command =
      new CommandLine(new GpuCommand(new Terminal(stream, () -> stream, 0)));

  @Test
  void whatMakesNoSenseIsRefused() {
    command.setErr(new PrintWriter(out, true, UTF_8));
    assertThat(command.execute("--blocks", "100,128")).isEqualTo(2);
    assertThat(command.execute("--mib", "0")).isEqualTo(2);
    assertThat(command.execute("--dirty", "1.5")).isEqualTo(2);
    assertThat(out.toString(UTF_8))
        .contains("--blocks are 128 to 1048576 bytes, not 100")
        .contains("--mib is at least 1, not 0")
        .contains("--dirty is more than 0 and at most 1, not 1.5");
  }

  @Test
  void withoutADeviceItSaysWhy() {
    assumeTrue(Devices.absence().isPresent(), "there is a device");
    assertThat(command.execute()).isEqualTo(1);
    assertThat(out.toString(UTF_8))
        .startsWith("no device to measure: ")
        .contains(Devices.absence().orElseThrow());
  }
}
