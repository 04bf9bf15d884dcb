// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTest {

  @Test
  void sentencesFit() {
    assertThat(Text.wrap("one two three four", 9).lines())
        .containsExactly("one two", "three", "four");
    assertThat(Text.wrap("short", 80)).isEqualTo("short");
    assertThat(Text.wrap("a\nb c", 80).lines()).containsExactly("a", "b c");
  }

  @Test
  void numbersKeepTheirUnits() {
    assertThat(Text.wrap("it took 12.5 ms, and 4.00 MiB were", 13).lines())
        .containsExactly("it took", "12.5 ms, and", "4.00 MiB were");
    assertThat(Text.wrap("a share of 12.5 %.", 16).lines())
        .containsExactly("a share of", "12.5 %.");
  }

  @Test
  void aLongWordIsNotTorn() {
    assertThat(Text.wrap("see /a/very/long/path now", 8).lines())
        .containsExactly("see", "/a/very/long/path", "now");
  }

  @Test
  void linesAfterTheFirstCanStandFurtherIn() {
    assertThat(Text.wrap("  1  some words that go on", 15, "     ").lines())
        .containsExactly("  1  some words", "     that go on");
  }
}
