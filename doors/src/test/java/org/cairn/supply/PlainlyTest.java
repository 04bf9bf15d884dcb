// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Says the same as the JDK, where no digit lies in the middle between two. */
class PlainlyTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void numbersAreAsTheyAreFormatted(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      double number = Math.scalb(random.nextDouble() - 0.5, random.nextInt(-30, 70));
      int digits = random.nextInt(5);
      assertThat(Plainly.fixed(number, digits)).isEqualTo(formatted(number, digits));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 0.0",
    "0.04, 1, 0.0",
    "0.06, 1, 0.1",
    "99.96, 1, 100.0",
    "7, 0, 7",
    "-2.345, 2, -2.35",
    "NaN, 1, NaN",
    "Infinity, 2, Infinity"
  })
  void someOfThem(double number, int digits, String text) {
    assertThat(Plainly.fixed(number, digits)).isEqualTo(text);
  }

  private static String formatted(double number, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", number);
  }
}
