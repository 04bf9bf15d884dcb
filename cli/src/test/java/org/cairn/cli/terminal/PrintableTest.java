// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {

  @Test
  void ordinaryNamesStayAsTheyAre() {
    assertThat(Printable.name("temperature")).isEqualTo("temperature");
    assertThat(Printable.name("größe/λ")).isEqualTo("größe/λ");
  }

  @Test
  void namesThatAreHardToSeeAreQuoted() {
    assertThat(Printable.name("")).isEqualTo("\"\"");
    assertThat(Printable.name("a b")).isEqualTo("\"a b\"");
  }

  @Test
  void nothingReachesTheTerminalThatCouldMoveTheCursor() {
    assertThat(Printable.name("a\nb\r\tc")).isEqualTo("\"a\\nb\\r\\tc\"");
    assertThat(Printable.name("\u001b[2J")).isEqualTo("\"\\u001b[2J\"");
    assertThat(Printable.name("x\u202ey")).isEqualTo("\"x\\u202ey\"");
    assertThat(Printable.name("\ud800")).isEqualTo("\"\\ud800\"");
  }

  @Test
  void longNamesAreCut() {
    assertThat(Printable.name("n".repeat(10_000))).hasSize(82).endsWith("…\"");
  }
}
