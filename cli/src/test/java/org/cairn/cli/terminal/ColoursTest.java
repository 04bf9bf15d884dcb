// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ColoursTest {

  @Test
  void aTerminalSaysWhatItHas() {
    Map<String, String> all = Map.of("TERM", "xterm-256color", "COLORTERM", "truecolor");
    assertThat(Colours.of(true, all)).isEqualTo(Colours.ALL);
    assertThat(Colours.of(true, Map.of("TERM", "xterm"))).isEqualTo(Colours.CUBE);
    assertThat(Colours.of(false, all)).as("a pipe").isEqualTo(Colours.NONE);
    assertThat(Colours.of(true, Map.of("TERM", "dumb"))).isEqualTo(Colours.NONE);
    assertThat(Colours.of(true, Map.of("TERM", "xterm", "NO_COLOR", "1"))).isEqualTo(Colours.NONE);
  }

  @Test
  void ofACubeTheNearestIsTaken() {
    assertThat(Colours.CUBE.halves(0xFF0000, 0x60FEFF)).isEqualTo("\u001B[38;5;196;48;5;87m▀");
    assertThat(Colours.ALL.halves(0x010203, 0x0A0B0C))
        .isEqualTo("\u001B[38;2;1;2;3;48;2;10;11;12m▀");
  }
}
