// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ArrayWatchTest {
  private static final int PAGE = 4 << 10;

  /** Of 4 MiB: left where they are, by any collector, as long as none is told to make room. */
  private final double[] first = new double[1 << 19];

  private final long[] second = new long[1 << 19];

  @BeforeEach
  void onlyWherePagesCanBeTracked() {
    try {
      UserfaultWatch watch = UserfaultWatch.open();
      watch.close();
      assumeTrue(watch.pageSize() == PAGE, "these tests are for pages of 4 KiB");
    } catch (UnwatchableException e) {
      assumeTrue(false, "pages cannot be tracked here: " + e.why());
    }
  }

  private ArrayWatch watch() throws UnwatchableException {
    try {
      return ArrayWatch.of(
          List.of(MemorySegment.ofArray(first), MemorySegment.ofArray(second).asReadOnly()));
    } catch (UnwatchableException e) {
      assumeTrue(!e.why().contains("-XX:+UseG1GC"), e.why());
      throw e;
    }
  }

  /** An array that moved is not known; here that would be bad luck, and is looked at again. */
  private static void expect(ArrayWatch watch, Runnable writing, long inFirst, long inSecond)
      throws UnwatchableException {
    for (int attempt = 0; attempt < 5; attempt++) {
      watch.written();
      writing.run();
      List<OptionalLong> written = watch.written();
      if (written.stream().allMatch(OptionalLong::isPresent)) {
        assertThat(written).containsExactly(OptionalLong.of(inFirst), OptionalLong.of(inSecond));
        return;
      }
    }
    assumeTrue(false, "the collector moves arrays all the time");
  }

  @Test
  void tellsWhichArraysWereWrittenToAndHowMuch() throws UnwatchableException {
    try (ArrayWatch watch = watch()) {
      expect(watch, () -> {}, 0, 0);
      expect(watch, () -> first[300_000]++, PAGE, 0);
      expect(
          watch,
          () -> {
            second[100_000] = 0; // the same value again
            second[200_000]++;
          },
          0,
          2 * PAGE);
    }
  }

  @Test
  void anArrayThatWasWrittenToAsAWholeIsCountedAsAWhole() throws UnwatchableException {
    try (ArrayWatch watch = watch()) {
      List<OptionalLong> written = List.of();
      for (int attempt = 0; attempt < 5; attempt++) {
        Arrays.fill(second, attempt);
        written = watch.written();
        if (written.getLast().isPresent()) {
          break;
        }
      }
      assertThat(written.getLast().orElseThrow()).isEqualTo(8L << 19);
    }
  }

  @Test
  void anArrayMayMove() throws UnwatchableException {
    double[] young = new double[512];
    try (ArrayWatch watch = ArrayWatch.of(List.of(MemorySegment.ofArray(young)))) {
      System.gc(); // makes it old
      young[0] = 1;
      assertThat(watch.written()).hasSize(1);
      young[100] = 1;
      assertThat(watch.written().getFirst().orElse(PAGE)).isPositive();
    } catch (UnwatchableException e) {
      assumeTrue(!e.why().contains("-XX:+UseG1GC"), e.why());
      throw e;
    }
  }
}
