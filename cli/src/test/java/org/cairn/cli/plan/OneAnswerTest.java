// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Whichever command is asked, a machine and a law have one best interval and one cost. */
@Tag("slow")
class OneAnswerTest {
  private static final String MACHINE = " --mtbf 4y --sockets 1000 --checkpoint 15min ";

  @TempDir Path temp;

  /** What a command says of one strategy. */
  private record Said(double interval, double efficiency) {
    static Said of(JsonNode answer) {
      return new Said(
          answer.at("/given/intervalSeconds").asDouble(),
          answer.at("/given/efficiencyShare").asDouble());
    }

    static Said ofRow(JsonNode compare, String strategy) {
      JsonNode row = Ask.row(compare.get("strategies"), strategy);
      return new Said(row.get("intervalSeconds").asDouble(), row.get("efficiencyShare").asDouble());
    }
  }

  private static void agree(String machine) {
    JsonNode compare = Ask.json("compare" + machine);
    Said full = Said.ofRow(compare, "full checkpoints");
    assertThat(Said.of(Ask.json("simulate" + machine))).isEqualTo(full);
    assertThat(Said.of(Ask.json("interval" + machine))).isEqualTo(full);
    assertThat(Said.of(Ask.json("wall-time" + machine))).isEqualTo(full);
    assertThat(Said.of(Ask.json("simulate --replicas 2 --overhead best" + machine)))
        .isEqualTo(Said.ofRow(compare, "2 replicas"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--failures weibull:0.469",
        "--failures weibull:0.469 --age 1y",
        "--failures gamma:2",
        "--failures weibull:0.6 --per system"
      })
  void laws(String law) {
    agree(MACHINE + law + " --trials 30");
  }

  @Test
  void trace() throws IOException {
    UniformRandomProvider random = RandomSource.SPLIT_MIX_64.create(1L);
    StringBuilder rows = new StringBuilder("time,node\n");
    double time = 0;
    for (int i = 0; i < 300; i++) {
      time += -36000 * Math.log(1 - random.nextDouble()) * (i % 3 == 0 ? 2.5 : 0.25);
      rows.append((long) time).append(',').append(random.nextInt(64)).append('\n');
    }
    Path trace = temp.resolve("t.csv");
    Files.writeString(trace, rows);
    agree(" --checkpoint 5min --trials 30 --trace " + trace);
  }

  /** Closed forms are exact here; commands that simulate are within their ranges. */
  @Test
  void exponential() {
    String machine = MACHINE + "--trials 200";
    JsonNode compare = Ask.json("compare" + machine);
    Said full = Said.ofRow(compare, "full checkpoints");
    double range =
        Ask.row(compare.get("strategies"), "full checkpoints").get("plusMinusShare").asDouble();
    for (String question : new String[] {"interval", "wall-time"}) {
      Said closed = Said.of(Ask.json(question + MACHINE));
      assertThat(closed.interval()).isEqualTo(full.interval());
      assertThat(closed.efficiency()).isCloseTo(full.efficiency(), within(2 * range));
    }
    assertThat(Said.of(Ask.json("simulate" + machine))).isEqualTo(full);
    // Pairs have a closed form that is close, and a simulation that all others agree with.
    Said pairs = Said.ofRow(compare, "2 replicas");
    JsonNode replication = Ask.json("replication" + MACHINE);
    assertThat(
            Ask.row(replication.get("strategies"), "2 replicas").get("efficiencyShare").asDouble())
        .isCloseTo(pairs.efficiency(), within(0.01));
    assertThat(Said.of(Ask.json("simulate --replicas 2 --overhead best" + machine)))
        .isEqualTo(pairs);
  }

  /**
   * Nobody is told to buy a second machine that does not help: an independent simulation has 53.0 %
   * for checkpoints alone and 43.7 % for pairs, each at its best.
   */
  @Test
  void adviceUnderWeibull() {
    JsonNode compare = Ask.json("compare" + MACHINE + "--failures weibull:0.469 --trials 200");
    assertThat(compare.at("/given/best").asString()).isEqualTo("full checkpoints");
    assertThat(Said.ofRow(compare, "full checkpoints").efficiency())
        .isCloseTo(0.530, within(0.005));
    assertThat(Said.ofRow(compare, "2 replicas").efficiency()).isCloseTo(0.437, within(0.004));
  }
}
