// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantitiesTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "1023, 1023 B",
    "1024, 1.00 KiB",
    "1536, 1.50 KiB",
    "10239, 10.0 KiB",
    "102400, 100 KiB",
    "1048575, 1.00 MiB",
    "33652736, 32.1 MiB",
    "9223372036854775807, 8.00 EiB",
    "-2048, -2.00 KiB"
  })
  void bytes(long bytes, String expected) {
    assertThat(Quantities.bytes(bytes)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 s",
    "0.0000015, 1.50 µs",
    "0.0123, 12.3 ms",
    "0.5, 500 ms",
    "1.234, 1.23 s",
    "59.9, 59.9 s",
    "125, 2 min 5 s",
    "7300, 2 h 1 min"
  })
  void seconds(double seconds, String expected) {
    assertThat(Quantities.seconds(seconds)).isEqualTo(expected);
  }

  @Test
  void durations() {
    assertThat(Quantities.duration(Duration.ofMillis(42))).isEqualTo("42.0 ms");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 100, 0.0 %",
    "1, 8, 12.5 %",
    "1, 1000000, <0.1 %",
    "999999, 1000000, 99.9 %",
    "7, 7, 100 %",
    "0, 0, -"
  })
  void percent(long part, long whole, String expected) {
    assertThat(Quantities.percent(part, whole)).isEqualTo(expected);
  }

  @Test
  void counts() {
    assertThat(Quantities.count(1_234_567)).isEqualTo("1,234,567");
  }
}
