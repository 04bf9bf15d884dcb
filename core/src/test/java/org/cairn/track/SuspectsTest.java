// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;

/** Bytes on pages, against each page asked for itself. */
class SuspectsTest {
  private static final int PAGE = 4 << 10;
  private static final int PAGES = 3_000;

  @SeededTest(seeds = 20)
  void bytesAreSuspectIfAnyOfTheirPagesIs(long seed) {
    Random random = new Random(seed);
    BitSet pages = new BitSet();
    for (int i = random.nextInt(30); i > 0; i--) {
      pages.set(random.nextInt(PAGES));
    }
    long lead = random.nextInt(PAGE);
    Suspects suspects = Suspects.on(pages, PAGE, 7L * PAGE + lead);
    for (int i = 0; i < 2_000; i++) {
      // Blocks of a few pages, and such of hundreds.
      long length = 1 + random.nextInt(random.nextBoolean() ? 4 * PAGE : 300 * PAGE);
      long from = random.nextLong((long) PAGES * PAGE - lead - length);
      boolean any = false;
      for (long page = (from + lead) / PAGE; page <= (from + length - 1 + lead) / PAGE; page++) {
        any |= pages.get((int) page);
      }
      assertThat(suspects.has(from, from + length)).isEqualTo(any);
    }
  }
}
