// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
  private static final String TIME = "is not a time, such as 15min, 1h30min, 5y or 90s";

  @ParameterizedTest
  @CsvSource({
    "5y, 157680000",
    "1h30min, 5400",
    "1 h 30 min, 5400",
    "90s, 90",
    "0.5d, 43200",
    ".5d, 43200",
    "2weeks, 1209600",
    "1_000s, 1000",
    "1e3s, 1000",
    "250ms, 0.25"
  })
  void times(String text, double seconds) {
    assertThat(given("interval --checkpoint 1ms --mtbf", text, "socketMtbfSeconds"))
        .isCloseTo(seconds, within(1e-9 * seconds));
  }

  @ParameterizedTest
  @CsvSource({"200k, 200000", "'200,000', 200000", "200000, 200000", "2e5, 200000", "1M, 1000000"})
  void counts(String text, double count) {
    assertThat(given("interval --mtbf 5y --checkpoint 1s --sockets", text, "sockets"))
        .isEqualTo(count);
  }

  @ParameterizedTest
  @CsvSource({
    "16GB, 1TB/s, 16",
    "16GiB, 1TB/s, 17.179869184",
    "16gb, 1 TB/s, 16",
    "1TB, 1TBps, 1000"
  })
  void sizesAndRates(String memory, String bandwidth, double seconds) {
    assertThat(
            Ask.json(
                    "interval --mtbf 5y --sockets 1000",
                    "--memory",
                    memory,
                    "--bandwidth",
                    bandwidth)
                .get("given")
                .get("checkpointSeconds")
                .asDouble())
        .isCloseTo(seconds, within(1e-9));
  }

  @ParameterizedTest
  @CsvSource({"3%, 0.97", "0.03, 0.97", "3 %, 0.97", "100%, 0", "0, 1"})
  void parts(String part, double unchanged) {
    assertThat(
            given(
                "differential --hash-rate 5GB/s --write-rate 1GB/s --dirty",
                part,
                "compressionShare"))
        .isCloseTo(unchanged, within(1e-12));
  }

  private static double given(String question, String value, String name) {
    return Ask.json(question, value).get("given").get(name).asDouble();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"soon", "", " ", "5", "5 parsecs", "1h30", "1..5h", "1e999y", "NAN", "5y!"})
  void noTimes(String text) {
    assertThat(Ask.refusal("interval --checkpoint 5min", "--mtbf=" + text))
        .contains("--mtbf")
        .contains("'" + text + "' " + TIME);
  }

  @ParameterizedTest
  @ValueSource(strings = {"many", "1.5", "1e300", "-", "2x"})
  void noCounts(String text) {
    assertThat(Ask.refusal("interval --mtbf 5y --checkpoint 5min", "--sockets=" + text))
        .contains("--sockets")
        .contains("'" + text + "' is not a number, such as 200000 or 200k");
  }

  @Test
  void noSizesRatesAndParts() {
    assertThat(Ask.refusal("interval --mtbf 5y --memory 16 --bandwidth 1TB/s"))
        .contains("--memory", "'16' is not a size, such as 16GB or 512MiB");
    assertThat(Ask.refusal("interval --mtbf 5y --memory 16GB --bandwidth 1TB/h"))
        .contains("--bandwidth", "'1TB/h' is not a rate, such as 1TB/s or 500MB/s");
    assertThat(Ask.refusal("differential --hash-rate 5GB/s --write-rate 1GB/s --dirty much"))
        .contains("--dirty", "'much' is not a part, such as 3% or 0.03");
  }

  @ParameterizedTest
  @CsvSource({
    "interval --checkpoint 5min --mtbf=-5y, --mtbf",
    "interval --checkpoint=-5min --mtbf 5y, --checkpoint",
    "interval --checkpoint 5min --mtbf 5y --restart=-1s, --restart",
    "interval --checkpoint 5min --mtbf 5y --work=-1h, --work",
    "interval --checkpoint 5min --mtbf 5y --sockets=-3, --sockets",
    "interval --mtbf 5y --memory=-1GB --bandwidth 1TB/s, --memory",
    "interval --mtbf 5y --memory 1GB --bandwidth=-1TB/s, --bandwidth",
    "wall-time --checkpoint 5min --mtbf 5y --interval=-1h, --interval",
    "replication --checkpoint 5min --mtbf 5y --sockets 10 --replicas=-2, replicas",
    "replication --checkpoint 5min --mtbf 5y --sockets 10 --share=-1%, share",
    "differential --hash-rate=-5GB/s --write-rate 1GB/s, --hash-rate",
    "differential --hash-rate 5GB/s --write-rate 1GB/s --dirty=-3%, dirty",
    "differential --hash-rate 5GB/s --write-rate 1GB/s --dirty 103%, dirty",
    "'multilevel --level a,cost=-5s,mtbf=1d', cost",
    "'multilevel --level a,cost=5s,restart=-1s,mtbf=1d', restart",
    "'multilevel --level a,cost=5s,mtbf=-1d', mtbf",
    "'multilevel --level a,cost=5s,mtbf=1d --work=-1h', --work",
    "simulate --checkpoint 5min --mtbf 5y --interval=-1h, --interval",
    "'simulate --level a,cost=5s,mtbf=1d --interval=-1h', interval",
    "simulate --checkpoint 5min --mtbf 5y --age=-1h, --age",
    "simulate --checkpoint 5min --mtbf 5y --trials=-1, --trials",
    "simulate --checkpoint 5min --mtbf 5y --threads=-1, --threads",
    "simulate --checkpoint 5min --mtbf 5y --dirty 10% --hash-time=-1s, hash",
    "simulate --checkpoint 5min --mtbf 5y --dirty=-10%, dirty",
    "compare --checkpoint 5min --mtbf 5y --local=-1s, --local",
    "compare --checkpoint 5min --mtbf 5y --local 1s --severe=-1%, --severe is -1.0 %",
    "compare --checkpoint 5min --mtbf 5y --local 1s --severe 101%, --severe is 101.0 %",
    "compare --checkpoint 5min --mtbf 5y --dirty 20% --hash-time=-1s, hash",
    "from-run . --mtbf=-1s, --mtbf",
    "from-run . --sockets=-1, --sockets",
    "from-run . --work=-1h, --work",
    "from-run . --severe=-1%, --severe"
  })
  void negative(String question, String option) {
    assertThat(Ask.refusal(question)).contains(option);
  }
}
