// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.cairn.comm.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class TriggerTest {
  /** Steps take a millisecond on rank 0, more on others, whose clocks also run unevenly. */
  private static Duration clock(int rank, long calls) {
    return Duration.ofNanos(calls * (1_000_000L + 50_000L * rank) + (calls % 3) * 1000L * rank);
  }

  @Test
  void allRanksDecideAlikeWithFewExchanges() {
    int steps = 100_000;
    List<List<Integer>> taken = Collections.synchronizedList(new ArrayList<>());
    List<Long> exchanges = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(
        3,
        comm -> {
          Trigger trigger = new Trigger(comm);
          List<Integer> mine = new ArrayList<>();
          long since = 0;
          long[] asked = {0}; // once in an exchange
          for (int step = 1; step <= steps; step++) {
            since++;
            Duration computing = clock(comm.rank(), since);
            if (trigger.isDue(
                computing, Duration.ofMillis(1), every(Duration.ofSeconds(10), asked))) {
              mine.add(step);
              since = 0;
            }
          }
          taken.add(mine);
          exchanges.add(asked[0]);
        });
    assertThat(taken.get(1)).isEqualTo(taken.get(0));
    assertThat(taken.get(2)).isEqualTo(taken.get(0));
    int checkpoints = taken.get(0).size();
    assertThat(checkpoints).isBetween(10, 12); // each about 9,100 steps of the slowest rank
    long perCheckpoint = exchanges.get(0) / checkpoints;
    assertThat(perCheckpoint).isBetween(5L, 40L); // two times the binary digits, and a few
  }

  @Test
  void aRankThatWasAskedToWaitStillCountsLikeTheOthers() {
    List<Long> exchanges = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(
        2,
        comm -> {
          Trigger trigger = new Trigger(comm);
          long[] asked = {0};
          for (int step = 1; step <= 2000; step++) {
            boolean due =
                trigger.isDue(
                    Duration.ofMillis(step % 100),
                    Duration.ZERO,
                    every(Duration.ofMillis(90), asked));
            if (due && comm.rank() == 0) {
              trigger.reset(); // rank 1 failed before it came to that
            }
          }
          exchanges.add(asked[0]);
        });
    assertThat(exchanges.get(0)).isEqualTo(exchanges.get(1));
  }

  private static UnaryOperator<Duration> every(Duration interval, long[] asked) {
    return cost -> {
      asked[0]++;
      return interval;
    };
  }
}
