// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private Terminal terminal(int columns) {
    PrintStream errors = new PrintStream(err, true, UTF_8);
    return new Terminal(new PrintStream(out, true, UTF_8), () -> errors, columns);
  }

  @Test
  void aBarEndsFullAndOnALineOfItsOwn() {
    try (ProgressBar bar = terminal(100).bar("verify", 4096, Quantities::bytes)) {
      bar.advance(1024);
      bar.advance(3072);
    }

    List<String> drawn = List.of(err.toString(UTF_8).split("\r", -1));
    assertThat(drawn.get(1))
        .startsWith("verify █████······")
        .contains(" 25 %  1.00 KiB of 4.00 KiB");
    assertThat(drawn.getLast()).contains("█".repeat(20) + " 100 %").endsWith("\n");
    assertThat(out.size()).isZero();
  }

  @Test
  void nobodyWatchesNothingIsDrawn() {
    try (ProgressBar bar = terminal(0).bar("verify", 10, Quantities::count)) {
      bar.reach(5);
      bar.note("half");
    }

    assertThat(out.size()).isZero();
    assertThat(err.size()).isZero();
  }

  @Test
  void progressCanBeAskedFor() {
    Terminal terminal = terminal(0);
    terminal.showProgress();

    terminal.bar("verify", 0, Quantities::count).close();

    assertThat(err.toString(UTF_8)).contains("100 %");
  }

  @Test
  void aBarNeverWraps() {
    try (ProgressBar bar = terminal(30).bar("a long label", 10, Quantities::count)) {
      bar.note("and a note that does not fit at all");
    }

    assertThat(err.toString(UTF_8).lines()).allMatch(line -> line.length() < 62);
    assertThat(err.toString(UTF_8).split("[\r\n]+", -1)).allMatch(line -> line.length() < 30);
  }
}
