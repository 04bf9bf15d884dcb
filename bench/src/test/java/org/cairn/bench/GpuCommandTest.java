// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.cairn.cli.terminal.Terminal;
import org.cairn.device.Devices;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class GpuCommandTest {
  @Test
  void withoutADeviceItSaysWhy() {
    assumeTrue(Devices.absence().isPresent(), "there is a device");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, UTF_8);
    CommandLine command = new CommandLine(new GpuCommand(new Terminal(stream, () -> stream, 0)));
    assertThat(command.execute()).isEqualTo(1);
    assertThat(out.toString(UTF_8))
        .startsWith("no device to measure: ")
        .contains(Devices.absence().orElseThrow());
  }
}
