// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.cairn.cli.plan.Ask.row;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Values that were computed elsewhere, through the command line. */
class IssuePointsTest {
  private static final double MICRO = 5.1e-7;

  @ParameterizedTest
  @CsvSource({
    "24h, 120.000000, 116.689815, 116.690073, 32872.9069",
    "15min, 12.247449, 9.140920, 9.166503, 150249.5487"
  })
  void intervals(String mtbf, double young, double daly, double exact, double wall) {
    JsonNode rules =
        Ask.json("interval --checkpoint 5min --restart 10min --work 500h --mtbf " + mtbf)
            .get("rules");
    assertThat(minutes(rules, "Young")).isCloseTo(young, within(MICRO));
    assertThat(minutes(rules, "Daly, higher order")).isCloseTo(daly, within(MICRO));
    assertThat(minutes(rules, "exact")).isCloseTo(exact, within(MICRO));
    assertThat(row(rules, "exact").get("wallTimeSeconds").asDouble())
        .isCloseTo(60 * wall, within(3.1e-3));
  }

  private static double minutes(JsonNode rules, String rule) {
    return row(rules, rule).get("intervalSeconds").asDouble() / 60;
  }

  /** Daly's rule for a checkpoint of more than twice the time to interrupt. */
  @Test
  void dalyOnAHopelessMachine() {
    JsonNode answer = Ask.json("interval --mtbf 10min --checkpoint 30min --work 1h --anyway");
    assertThat(minutes(answer.get("rules"), "Daly, higher order")).isEqualTo(10);
  }

  /** What is never saved takes no time to save. */
  @Test
  void withoutCheckpointsNoneIsPaidFor() {
    JsonNode cases = Ask.json("wall-time --mtbf 24h --checkpoint 5min").get("wallTime");
    assertThat(row(cases, "no checkpoints").get("checkpointsSeconds").asDouble()).isZero();
    assertThat(row(cases, "best").get("checkpointsSeconds").asDouble()).isPositive();
  }

  @Test
  void failuresUntilAnInterrupt() {
    JsonNode answer = Ask.json("replication --mtbf 5y --sockets 200000 --checkpoint 15min");
    JsonNode counts = answer.get("counts");
    assertThat(row(counts, "exact").get("failures").asDouble())
        .isCloseTo(561.499822, within(MICRO));
    assertThat(row(counts, "birthday").get("failures").asDouble())
        .isCloseTo(396.999726, within(MICRO));
    JsonNode strategies = answer.get("strategies");
    assertThat(row(strategies, "2 replicas").get("mttiSeconds").asDouble())
        .isCloseTo(442686.4598, within(1e-4));
    assertThat(row(strategies, "checkpoints alone").get("mttiSeconds").asDouble())
        .isCloseTo(788.4, within(1e-9));
  }

  @Test
  void pattern() {
    JsonNode given =
        Ask.json(
                "multilevel --level 1,cost=5s,restart=5s,mtbf=1000s"
                    + " --level 2,cost=30s,restart=40s,mtbf=5000s --interval 100s --counts 4")
            .get("given");
    assertThat(given.get("patternSeconds").asDouble()).isCloseTo(500.249583, within(MICRO));
    assertThat(given.get("patternWorkSeconds").asDouble()).isEqualTo(400);
  }

  /** Hash and write rates in any unit, the paper's two passes or one, and the threshold. */
  @ParameterizedTest
  @CsvSource({
    "418MB/s, 12.1MB/s, --paper",
    "5GB/s, 500MB/s, --paper",
    "5GB/s, 500MB/s, ''",
    "1GiB/s, 1GiB/s, ''"
  })
  void differentialThresholds(String hash, String write, String paper) {
    JsonNode given =
        Ask.json("differential --hash-rate " + hash + " --write-rate " + write + " " + paper)
            .get("given");
    double rho =
        given.get("writeBytesPerSecond").asDouble() / given.get("hashBytesPerSecond").asDouble();
    double expected = paper.isEmpty() ? 1 - rho : (1 - rho) / (1 + rho);
    assertThat(given.get("thresholdShare").asDouble()).isCloseTo(expected, within(1e-12));
  }

  /** Table 7.2 through the command line: CTH on a GPU and on a processor, SAGE and LAMMPS. */
  @ParameterizedTest
  @CsvSource({
    "4GB/s, 17%, 3320",
    "4GB/s, 65%, 1400",
    "500MB/s, 17%, 415",
    "500MB/s, 65%, 175",
    "500MB/s, 97.6%, 12"
  })
  void breakEvenBandwidths(String hash, String dirty, double megabytes) {
    JsonNode answer =
        Ask.json("differential --write-rate 100MB/s --hash-rate " + hash + " --dirty " + dirty);
    assertThat(answer.get("given").get("breakEvenBytesPerSecond").asDouble())
        .isCloseTo(1e6 * megabytes, within(1.0));
    double byPages =
        row(answer.get("waysToSave"), "pages that were written to")
            .get("timeOfAFullOneShare")
            .asDouble();
    double byHashes =
        row(answer.get("waysToSave"), "blocks that changed in them")
            .get("timeOfAFullOneShare")
            .asDouble();
    assertThat(byPages).isEqualTo(1);
    assertThat(byHashes < byPages).isEqualTo(megabytes > 100);
  }
}
