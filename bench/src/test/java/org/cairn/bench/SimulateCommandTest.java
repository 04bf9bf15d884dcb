// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.failure.Lifetime;
import org.cairn.testkit.random.OnlyThorough;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

@Tag("slow")
class SimulateCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int run(String... arguments) {
    PrintStream stream = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(stream, () -> stream, 0);
    return new CommandLine(new SimulateCommand(terminal)).execute(arguments);
  }

  @Test
  void tablesTellTimesAndMeans() {
    assertThat(run("--quick", "--trials", "20", "--naive-trials", "10")).isZero();

    assertThat(out.toString(UTF_8))
        .contains("exponential 5 y", "Weibull 0.469 / 4 y, given up", "as many failures")
        .contains("200,000", "< 60 s", "ns a failure", "ratio", "agree")
        .doesNotContain("DIFFER", "NaN", "Infinity");
  }

  @Test
  void machinesGetJson() {
    assertThat(run("--quick", "--trials", "2", "--naive-trials", "2", "--json")).isZero();

    assertThat(out.toString(UTF_8))
        .contains("\"secondsFor1000Trials\"", "\"withinTarget\"", "\"ratio\"")
        .doesNotContain("NaN", "Infinity");
  }

  static Stream<SimulatedCase> machines() {
    double year = 365 * 86400;
    double never = Double.POSITIVE_INFINITY;
    Lifetime exponential = Lifetime.exponential(5 * year);
    return Stream.of(
        new SimulatedCase("exponential", 2001, 3, exponential, 7000, never),
        new SimulatedCase("wear", 2000, 1, Lifetime.weibull(3, year / 5), 7000, never),
        new SimulatedCase("renewals", 20, 2, Lifetime.weibull(0.7, year / 400), 7000, never));
  }

  static Stream<SimulatedCase> moreMachines() {
    double year = 365 * 86400;
    double never = Double.POSITIVE_INFINITY;
    Lifetime exponential = Lifetime.exponential(5 * year);
    Lifetime weibull = Lifetime.weibull(0.469, 4 * year);
    return Stream.of(
        new SimulatedCase("exponential", 2000, 1, exponential, 7000, never),
        new SimulatedCase("exponential", 2000, 2, exponential, 7000, never),
        new SimulatedCase("infants", 2000, 1, weibull, 7000, never),
        new SimulatedCase("infants, odd", 3001, 2, Lifetime.weibull(0.469, year / 50), 7000, never),
        new SimulatedCase("infants", 20_000, 2, weibull, 7000, never),
        new SimulatedCase("given up", 20_000, 1, weibull, 7000, 1.5));
  }

  /** The naive simulator is an independent check of the other one: means within 99.9 %. */
  @ParameterizedTest
  @MethodSource("machines")
  void bothSimulatorsAgree(SimulatedCase machine) throws IOException {
    agree(machine);
  }

  @ParameterizedTest
  @MethodSource("moreMachines")
  @OnlyThorough
  void theyAgreeOnMoreMachines(SimulatedCase machine) throws IOException {
    agree(machine);
  }

  private static void agree(SimulatedCase machine) throws IOException {
    try (SimulationSpeed speed = new SimulationSpeed(1000, 500, 1, 2)) {
      SimulationSpeed.Result result = speed.measure(machine);
      assertThat(result.agree()).as("%s", result).isTrue();
      // Agreement within a wide range would mean nothing.
      assertThat(List.of(result.plusMinusHours(), result.naivePlusMinusHours()))
          .allSatisfy(range -> assertThat(range / result.meanHours()).isLessThan(0.02));
    }
  }
}
