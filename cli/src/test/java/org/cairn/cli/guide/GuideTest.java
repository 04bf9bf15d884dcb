// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.cairn.cli.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuideTest {
  @TempDir Path temp;

  @Test
  void helpIsTheSameEitherWay() {
    assertThat(Cli.run("help", "verify").out()).isEqualTo(Cli.run("verify", "--help").out());
    assertThat(Cli.run("help", "plan", "interval").out())
        .isEqualTo(Cli.run("plan", "interval", "--help").out());
    assertThat(Cli.run("help").out()).isEqualTo(Cli.run("--help").out());
  }

  @Test
  void whatWasMeantIsSuggested() {
    for (String[] line : new String[][] {{"verfy"}, {"help", "verfy"}, {"man", "verfy"}}) {
      Cli.Result result = Cli.run((Object[]) line);
      assertThat(result.exitCode()).isEqualTo(2);
      assertThat(result.err())
          .contains("there is no command 'verfy'; did you mean verify")
          .contains("--help'.");
    }
    assertThat(Cli.run("ls", "--jsn", "x").err()).contains("--jsn").contains("did you mean --json");
  }

  /** What follows an option is no option, and a neighbour may know it. */
  @Test
  void anOptionOfAnotherCommandIsSaidToBeThat() {
    Cli.Result result =
        Cli.run("plan", "replication", "--mtbf", "4y", "--failures", "weibull:0.469");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err())
        .startsWith(
            "cairn plan replication: there is no option --failures here; --failures is one of"
                + " interval, wall-time, simulate, compare\n")
        .doesNotContain("weibull");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh"})
  void shellsCanReadWhatCompletes(String shell) throws Exception {
    Cli.Result result = Cli.run("completion", shell);

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains("verify").contains("--runs").contains("interval");
    Path script = Files.writeString(temp.resolve("script"), result.out());
    // bash reads both: what zsh needs more are commands to it.
    Process bash = new ProcessBuilder("bash", "-n", script.toString()).inheritIO().start();
    assertThat(bash.waitFor()).isZero();
  }

  @Test
  void everyCommandHasAPage() throws Exception {
    Cli.Result result = Cli.run("man", "--to", temp);

    assertThat(result.exitCode()).isZero();
    assertThat(temp.resolve("cairn.1")).content().contains("cairn\\-prove");
    assertThat(temp.resolve("cairn-prove.1"))
        .content()
        .startsWith(".TH \"CAIRN-PROVE\" 1")
        .contains(".SH SYNOPSIS", ".SH OPTIONS", "\\fB\\-\\-result FILE\\fR", ".SH EXAMPLES");
    assertThat(temp.resolve("cairn-plan-interval.1")).exists();
    try (Stream<Path> pages = Files.list(temp)) {
      assertThat(pages).hasSizeGreaterThan(30).allSatisfy(GuideTest::assertPlain);
    }
    assertThat(Cli.run("man", "verify").out()).startsWith(".TH \"CAIRN-VERIFY\"");
  }

  /** What picocli escapes and fills in is not for readers. */
  private static void assertPlain(Path page) {
    assertThat(page).content().doesNotContain("%%", "${", "%n");
  }
}
