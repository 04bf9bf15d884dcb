// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.cairn.comm.Ranks.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RanksTest {
  private static final int RANKS = 4;

  /** A name for a program, to be printed. */
  record Waiting(String name, Program program) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Waiting> waiting() {
    byte[] large = new byte[1 << 20];
    return List.of(
        new Waiting("receive", ranks -> ranks.receive(new byte[1], 2, 1)),
        new Waiting("receive of anything", ranks -> ranks.receive(new byte[1], -1, -1)),
        new Waiting("receive from a rank that lives", ranks -> ranks.receive(new byte[1], 0, 1)),
        new Waiting("large send", ranks -> ranks.send(large, (ranks.rank() + 1) % RANKS, 1)),
        new Waiting("probe", ranks -> ranks.probe(2, 1)),
        new Waiting("barrier", Communicator::barrier),
        new Waiting("broadcast", ranks -> ranks.broadcast(large, 2)),
        new Waiting("reduction", ranks -> ranks.allReduce(1, Reduction.SUM)),
        new Waiting("all-gather", ranks -> ranks.allGather(new byte[1])),
        new Waiting("send and receive", ranks -> ranks.sendReceive(large, 0, new byte[1], 2, 1)),
        new Waiting(
            "any of many",
            ranks -> Request.awaitAny(List.of(ranks.startReceive(new byte[1], 2, 1)))),
        new Waiting("scan", ranks -> ranks.scan(1L, Reduction.SUM)),
        new Waiting("split", ranks -> ranks.split(0, 0)),
        new Waiting("tests", RanksTest::testForEver),
        new Waiting("polls", RanksTest::pollForEver));
  }

  private static void testForEver(Communicator ranks) {
    Request request = ranks.startReceive(new byte[1], 0, 1);
    while (!request.test()) {
      Thread.onSpinWait();
    }
  }

  private static void pollForEver(Communicator ranks) {
    while (ranks.poll(0, 1).isEmpty()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void allRanksRunAtTheSameTime() {
    Set<Integer> seen = ConcurrentHashMap.newKeySet();
    Ranks.run(
        RANKS,
        ranks -> {
          assertThat(ranks.size()).isEqualTo(RANKS);
          seen.add(ranks.rank());
          ranks.barrier();
          assertThat(seen).hasSize(RANKS);
        });
  }

  @ParameterizedTest
  @MethodSource("waiting")
  void aRankThatAbortsEndsThoseThatWait(Waiting waiting) {
    RankFailedException report =
        catchThrowableOfType(
            RankFailedException.class,
            () ->
                Ranks.run(
                    RANKS,
                    ranks -> {
                      if (ranks.rank() == 2) {
                        ranks.split(1, 0).abort(17); // it is rank 0 of those
                        throw new AssertionError("abort does not return");
                      }
                      ranks.split(0, 0);
                      waiting.program().run(ranks);
                      ranks.barrier(); // those that need not wait for long
                    }));
    assertThat(report.rank()).isEqualTo(2);
    assertThat(report.getCause())
        .isInstanceOf(AbortedException.class)
        .hasMessage("rank 2 has ended all ranks with status 17")
        .satisfies(cause -> assertThat(((AbortedException) cause).status()).isEqualTo(17));
    assertThat(report.getSuppressed())
        .hasSize(RANKS - 1)
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOf(RankLostException.class)
                    .hasCauseInstanceOf(AbortedException.class));
  }

  @Test
  void anAbortNeedsAStatusThatSaysSo() {
    Ranks.run(
        2,
        ranks -> {
          for (int status : new int[] {0, -1, 126}) {
            assertThatThrownBy(() -> ranks.abort(status))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("from 1 to 125, not " + status);
          }
          ranks.barrier();
        });
  }

  @ParameterizedTest
  @MethodSource("waiting")
  void aRankThatFailsEndsThoseThatWait(Waiting waiting) {
    IOException cause = new IOException("no space left");
    RankFailedException report =
        catchThrowableOfType(
            RankFailedException.class,
            () ->
                Ranks.run(
                    RANKS,
                    ranks -> {
                      if (ranks.rank() == 2) {
                        Thread.sleep(5); // others wait by now, or soon
                        throw cause;
                      }
                      waiting.program().run(ranks);
                    }));

    assertThat(report).hasMessageContaining("rank 2 of 4 failed").hasCause(cause);
    assertThat(report).hasMessageContaining("no space left");
    assertThat(report.rank()).isEqualTo(2);
    assertThat(report.getSuppressed()).hasSize(RANKS - 1).allSatisfy(RanksTest::isLossOfRank2);
  }

  private static void isLossOfRank2(Throwable suppressed) {
    assertThat(suppressed)
        .isInstanceOf(RankLostException.class)
        .hasMessageContaining("rank 2")
        .hasRootCauseMessage("no space left");
    assertThat(((RankLostException) suppressed).rank()).isEqualTo(2);
  }

  @Test
  void theFailureIsSeenThroughSplitsWithoutThatRank() {
    assertThatThrownBy(
            () ->
                Ranks.run(
                    RANKS,
                    ranks -> {
                      Communicator half = ranks.split(ranks.rank() / 2, 0);
                      if (ranks.rank() == 3) {
                        // Not before all have their half: else some would miss it in the whole.
                        for (int other = 0; other < 3; other++) {
                          ranks.receive(new byte[1], other, 2);
                        }
                        throw new AssertionError("broken");
                      }
                      ranks.send(new byte[1], 3, 2);
                      half.receive(new byte[1], half.rank(), 1);
                    }))
        .hasMessageContaining("rank 3 of 4")
        .satisfies(
            report ->
                assertThat(report.getSuppressed())
                    .extracting(lost -> ((RankLostException) lost).rank())
                    .containsExactly(-1, -1, 1))
        .satisfies(
            report ->
                assertThat(report.getSuppressed()[0])
                    .hasMessageContaining("outside of this communicator")
                    .hasMessageContaining("rank 3 of all"));
  }

  @Test
  void aRankThatEndsLeavesNobodyWaiting() {
    for (Program program :
        List.<Program>of(
            ranks -> ranks.receive(new byte[1], 1, 1),
            ranks -> ranks.probe(1, 1),
            ranks -> ranks.send(new byte[1 << 20], 1, 1))) {
      assertThatThrownBy(
              () ->
                  Ranks.run(
                      2,
                      ranks -> {
                        if (ranks.rank() == 0) {
                          program.run(ranks);
                        }
                      }))
          .hasMessageContaining("rank 0 of 2")
          .cause()
          .isInstanceOf(RankLostException.class)
          .hasMessageContaining("rank 1 is lost: it has ended");
    }
  }

  @Test
  void whatARankSentBeforeItsEndArrives() {
    Ranks.run(
        2,
        ranks -> {
          if (ranks.rank() == 1) {
            ranks.send(new int[] {5}, 0, 1);
          } else {
            Thread.sleep(5);
            int[] target = new int[1];
            ranks.receive(target, 1, 1);
            assertThat(target).containsExactly(5);
          }
        });
  }

  @Test
  void domainsCanBeChosen() {
    Ranks.run(
        RANKS,
        rank -> "node " + rank / 2,
        ranks -> {
          assertThat(ranks.domain(1)).isEqualTo("node 0");
          assertThat(ranks.domain(3)).isEqualTo("node 1");
          assertThat(ranks.split(0, -ranks.rank()).domain(0)).isEqualTo("node 1");
        });
  }

  @Test
  void anInterruptReachesTheRanks() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Ranks.run(2, ranks -> ranks.receive(new byte[1], -1, -1)))
        .isInstanceOf(CommunicationException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void noRanksAreRefused() {
    assertThatThrownBy(() -> Ranks.run(0, ranks -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 0");
  }
}
