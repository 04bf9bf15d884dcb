// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Tag("slow")
class SimulateCommandTest {
  private static final String MACHINE =
      "--mtbf 4y --sockets 20000 --checkpoint 15min --failures weibull:0.7 --trials 10";

  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(strings = {"simulate --replicas 2 ", "compare ", "interval "})
  void seedsDecideAndThreadsDoNot(String question) {
    String one = Ask.answer(question + MACHINE + " --seed 7 --threads 1");
    assertThat(Ask.answer(question + MACHINE + " --seed 7 --threads 3")).isEqualTo(one);
    assertThat(Ask.answer(question + MACHINE + " --seed 8 --threads 1")).isNotEqualTo(one);
  }

  @Test
  void exponentialLivesAgreeWithTheClosedForm() {
    JsonNode answer = Ask.json("simulate --mtbf 24h --checkpoint 5min --trials 2000");
    JsonNode wall = Ask.row(answer.get("result"), "wall time");
    assertThat(wall.get("meanSeconds").asDouble())
        .isCloseTo(
            answer.get("given").get("expectedSeconds").asDouble(),
            within(2 * wall.get("plusMinusSeconds").asDouble()));
  }

  /** One trial tells no range, and none is claimed. */
  @Test
  void oneTrial() {
    String question = "simulate --mtbf 5y --checkpoint 15min --trials 1 --work 1h";
    assertThat(Ask.answer(question)).doesNotContain("±").contains("takes 1 h 15 min on average");
    assertThat(Ask.answer("compare --mtbf 5y --checkpoint 15min --trials 1 --work 1h --csv"))
        .doesNotContain("inf");
    assertThat(Ask.row(Ask.json(question).get("result"), "wall time").has("plusMinusSeconds"))
        .isFalse();
  }

  @Test
  void givesUp() {
    assertThat(Ask.answer("simulate --mtbf 5min --checkpoint 15min --trials 5 --give-up 2"))
        .contains("5 of 5 simulated runs were given up", "at best a lower bound");
  }

  @Test
  void replaysATrace() throws IOException {
    Path trace = temp.resolve("t.csv");
    Files.writeString(trace, "time,node\n0,a\n5000,b\n9000,c\n30000,a\n31000,d\n80000,b\n");
    for (String mapping : new String[] {"forward", "reverse", "shuffle", "adjacent"}) {
      assertThat(
              Ask.answer(
                  "simulate --checkpoint 1min --trials 10 --work 10h --replicas 2 --mapping "
                      + mapping,
                  "--trace",
                  trace))
          .contains("of work takes");
    }
  }

  @Test
  void drawsCostsFromARun() {
    try (Checkpointer cairn = Checkpointer.open(temp, Options.defaults().threads(1))) {
      byte[] state = new byte[100_000];
      cairn.protect("state", state);
      for (int i = 0; i < 3; i++) {
        state[i]++;
        cairn.checkpoint();
      }
    }
    assertThat(Ask.answer("simulate --mtbf 1d --trials 5 --interval 1h --costs-from", temp))
        .contains("It checkpoints after every 1 h 0 min");
  }

  @Test
  void wallTimeOfAnIntervalWhereFailuresAreNotExponential() {
    JsonNode answer =
        Ask.json(
            "wall-time --mtbf 1d --checkpoint 1min --interval 1h --failures gamma:2 --trials 20");
    assertThat(answer.at("/given/intervalSeconds").asDouble()).isEqualTo(3600);
    assertThat(answer.at("/given/trials").asInt()).isEqualTo(20);
  }

  @Test
  void nothingThatWasTriedIsMuchBetter() {
    JsonNode answer =
        Ask.json("interval --mtbf 1d --checkpoint 5min --failures weibull:0.7 --trials 50");
    JsonNode intervals = answer.get("intervals");
    double best = Ask.row(intervals, "best").get("simulatedSeconds").asDouble();
    assertThat(intervals.size()).isGreaterThanOrEqualTo(8);
    for (JsonNode row : intervals) {
      assertThat(row.get("simulatedSeconds").asDouble()).isGreaterThan(best * 0.995);
    }
  }

  /** Figures 6.5 and 6.6 of Ferreira 2011 count what the software of replicas costs. */
  @Test
  void softwareOfReplicas() {
    String pairs =
        "simulate --mtbf 5y --sockets 200000 --checkpoint 15min --replicas 2 --trials 20";
    double none = efficiency(Ask.json(pairs));
    double best = efficiency(Ask.json(pairs + " --overhead best"));
    double worst = efficiency(Ask.json(pairs + " --overhead worst"));
    assertThat(none / best).isCloseTo(1.0489, within(0.01));
    assertThat(none / worst).isCloseTo(1.357, within(0.02));
    assertThat(Ask.refusal("simulate --mtbf 1d --checkpoint 1min --overhead best"))
        .contains("--overhead is for --replicas");
  }

  private static double efficiency(JsonNode answer) {
    return answer.at("/given/efficiencyShare").asDouble();
  }

  /** As in the figures of Ferreira 2011, which have Daly's interval for the mean rate. */
  @Test
  void intervalByTheMean() {
    String question = "simulate " + MACHINE;
    double mean = interval(Ask.json(question + " --interval-by mean"));
    assertThat(mean).isEqualTo(interval(Ask.json(question.replace("weibull:0.7", "exponential"))));
    assertThat(interval(Ask.json(question))).isLessThan(mean * 0.75);
    assertThat(Ask.refusal(question + " --interval-by moon")).contains("there are law and mean");
  }

  private static double interval(JsonNode answer) {
    return answer.at("/given/intervalSeconds").asDouble();
  }
}
