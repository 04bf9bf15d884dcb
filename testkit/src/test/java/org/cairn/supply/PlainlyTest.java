// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

/** What is said plainly is what the JDK says. */
class PlainlyTest {
  @Test
  void processHasItsNumber() {
    assertThat(Plainly.processNumber()).isEqualTo(ProcessHandle.current().pid());
  }

  @SeededTest(seeds = 4)
  void timesAreWrittenAsTheJdkWritesThem(Random random) {
    for (int i = 0; i < 2_000; i++) {
      long second = random.nextLong(-62_167_219_200L - 1_000_000, 253_402_300_799L + 1_000_000);
      int nano = random.nextInt(1_000_000_000);
      int coarse = new int[] {1, 1_000, 1_000_000, 1_000_000_000}[random.nextInt(4)];
      sameText(Instant.ofEpochSecond(second, nano / coarse * coarse));
    }
  }

  @Test
  void edgesAreWrittenAsTheJdkWritesThem() {
    sameText(Instant.EPOCH);
    sameText(Instant.MIN);
    sameText(Instant.MAX);
    sameText(Instant.ofEpochSecond(-62_167_219_200L));
    sameText(Instant.ofEpochSecond(-62_167_219_201L));
    sameText(Instant.ofEpochSecond(253_402_300_799L, 999_999_999));
    sameText(Instant.ofEpochSecond(253_402_300_800L));
    sameText(Instant.ofEpochSecond(0, 1));
    sameText(Instant.ofEpochSecond(0, 10_000_000));
  }

  private static void sameText(Instant time) {
    assertThat(Plainly.text(time)).isEqualTo(time.toString());
  }
}
