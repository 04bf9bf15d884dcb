// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.Terminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class MainTest {

  @Test
  void withoutACommandThereIsAHintAndExitCodeTwo() {
    Cli.Result result = Cli.run();

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("Try 'cairn --help'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "demo",
        "ls",
        "show",
        "verify",
        "diff",
        "export",
        "convert",
        "prove",
        "doctor",
        "help",
        "completion",
        "man"
      })
  void everyCommandHasHelpWithExamples(String command) {
    Cli.Result result = command.isEmpty() ? Cli.run("--help") : Cli.run(command, "--help");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out()).contains("Usage: cairn " + command).contains("Examples:");
    assertThat(result.out().lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void theHelpListsAllCommandsWithThoseOfOtherModules() {
    assertThat(Cli.run("--help").out())
        .contains("demo", "ls", "show", "verify", "diff", "export", "convert", "provided");
  }

  @Test
  void theVersionIsTold() {
    Cli.Result result = Cli.run("--version");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).startsWith("cairn ").contains("Java 25");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bogus", "--bogus", "ls --bogus", "show", "show --version x .", "diff ."})
  void whatCannotBeUnderstoodIsExplainedWithExitCodeTwo(String line) {
    Cli.Result result = Cli.run((Object[]) line.split(" ", -1));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err().lines()).hasSize(2);
    assertThat(result.err()).contains("--help'.").doesNotContain("Exception");
  }

  @Test
  void aFailureIsOneLine() {
    Cli.Result result = Cli.run("provided", "--fail");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).isEqualTo("cairn provided: it went wrong\\nbadly\n");
  }

  @Test
  void wantOfMemoryIsOneLineToo() {
    Cli.Result result = Cli.run("provided", "--greedy");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .isEqualTo(
            "cairn: out of memory: there are no 10 TB; ask for less, or give the JVM more (CAIRN_JAVA_OPTS=-Xmx8g)\n");
  }

  @Test
  void debugShowsWhereAFailureComesFrom() {
    Cli.Result result = Cli.run("provided", "--fail", "--debug");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .startsWith("cairn provided: it went wrong")
        .contains("at org.cairn.cli.MainTest");
  }

  @Test
  void aProvidedCommandRuns() {
    Cli.Result result = Cli.run("provided");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).isEqualTo("done\n");
  }

  /** Found through META-INF/services, as the commands of other modules are. */
  public static final class Provider implements CommandProvider {
    @Override
    public Object command(Terminal terminal) {
      return new ProvidedCommand(terminal);
    }
  }

  @Command(name = "provided")
  static final class ProvidedCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(names = "--fail")
    private boolean fail;

    @Option(names = "--greedy")
    private boolean greedy;

    ProvidedCommand(Terminal terminal) {
      this.terminal = terminal;
    }

    @Override
    public Integer call() {
      if (fail) {
        throw new CommandFailedException("it went wrong\nbadly");
      }
      if (greedy) {
        throw new OutOfMemoryError("there are no 10 TB");
      }
      terminal.out().println("done");
      return 0;
    }
  }
}
