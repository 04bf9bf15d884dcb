// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.track.CopyWatch;
import org.cairn.track.FirstWritePrice;
import org.cairn.track.PageWatch;
import org.cairn.track.SharedPages;
import org.cairn.track.UnwatchableException;
import org.cairn.track.UserfaultWatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * As {@link CheckpointModelTest}, with most arrays outside of the Java heap and tracked: every
 * version is byte for byte what hashing everything would have saved.
 */
@Tag("slow")
@Tag("models")
@Thorough(times = 8)
class TrackedModelTest {
  private static final int STEPS = 60;
  private static final int MOST_OFF_HEAP = 8;

  /** From never worth it to always; also such that it is stopped and tried again. */
  private static final double[] PRICES = {0, 0, 500, 5_000, 1e9};

  @AfterEach
  void useTheWatchOfTheProcess() {
    SharedPages.use(null);
  }

  @SeededTest(seeds = 6)
  void behavesLikeAMapOfVersionsWithCopies(Random random) throws IOException {
    run(random, new CopyWatch(64 << random.nextInt(7)));
  }

  @SeededTest(seeds = 6)
  void behavesLikeAMapOfVersionsWithPages(Random random) throws Exception {
    try (UserfaultWatch watch = UserfaultWatch.open()) {
      run(random, watch);
    } catch (UnwatchableException e) {
      assumeTrue(false, "pages cannot be tracked here: " + e.why());
    }
  }

  private static void run(Random random, PageWatch watch) throws IOException {
    FirstWritePrice price = new FirstWritePrice(PRICES[random.nextInt(PRICES.length)]);
    SharedPages.use(SharedPages.of(watch, price, 1));
    try (ModelRun run = new ModelRun(random, MOST_OFF_HEAP)) {
      run.run(STEPS);
      run.calmDown();
    }
  }

  /** Tells nobody of every so many pages that were written. */
  private static final class LyingWatch extends CopyWatch {
    private int told;

    LyingWatch() {
      super(256);
    }

    @Override
    public void scan(long from, long to, Written written) throws UnwatchableException {
      super.scan(
          from,
          to,
          (first, end) -> {
            told++;
            if (told % 50 != 0) {
              written.pages(first, end);
            }
          });
    }
  }

  /** A test that a lie does not fail would say nothing. */
  @Test
  void aWatchThatMissesPagesIsFound() {
    SharedPages.use(SharedPages.of(new LyingWatch(), new FirstWritePrice(0), 1));
    assertThatThrownBy(
            () -> {
              for (int seed = 0; seed < 40; seed++) {
                try (ModelRun run = new ModelRun(new Random(seed), MOST_OFF_HEAP)) {
                  run.run(STEPS);
                }
              }
            })
        .satisfiesAnyOf(
            e -> assertThat(e).isInstanceOf(AssertionError.class),
            e -> assertThat(e).hasMessageContaining("no write to its pages was seen"));
  }
}
