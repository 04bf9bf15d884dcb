// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.comm.Ranks.Program;
import org.cairn.testkit.comm.BaseCommunicatorTest;
import org.cairn.testkit.comm.Killed;
import org.cairn.testkit.comm.LossyCommunicator;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.schedule.Simulation;
import org.junit.jupiter.api.Test;

/** A lossy communicator keeps all promises until it is told not to, even if messages are late. */
class LossyCommunicatorTest extends BaseCommunicatorTest {

  @Override
  protected void run(int ranks, Program program) {
    Ranks.run(
        ranks,
        inner -> {
          LossyCommunicator lossy = new LossyCommunicator(inner, 1);
          lossy.delayMessages(Duration.ofNanos(20_000));
          program.run(lossy);
        });
  }

  @Override
  protected int maximumRanks() {
    return 3;
  }

  private static void workload(Communicator ranks) {
    ranks.barrier();
    ranks.allReduce(new double[100], Reduction.SUM);
    try (Communicator half = ranks.split(ranks.rank() % 2, 0)) {
      half.allGather(new byte[ranks.rank()]);
      half.broadcast(new byte[200_000], 0);
    }
    ranks.allToAll(new int[ranks.size()], new int[ranks.size()]);
  }

  /** Whenever a rank is killed, all end, and the report names that rank. */
  @Test
  void everyPointOfAWorkloadCanBeTheLast() {
    AtomicLong operations = new AtomicLong();
    Ranks.run(
        4,
        inner -> {
          LossyCommunicator ranks = new LossyCommunicator(inner, 1);
          workload(ranks);
          if (ranks.rank() == 1) {
            operations.set(ranks.operations());
          }
        });
    assertThat(operations.get()).isGreaterThan(10);

    for (long n = 1; n <= operations.get(); n++) {
      RankFailedException report = runAndKill(1, n);
      assertThat(report.rank()).isEqualTo(1);
      assertThat(report)
          .hasCauseInstanceOf(Killed.class)
          .hasMessageContaining("killed at operation " + n);
      assertThat(report.getSuppressed()).allMatch(RankLostException.class::isInstance);
    }
  }

  private static RankFailedException runAndKill(int rank, long n) {
    return catchThrowableOfType(
        RankFailedException.class,
        () ->
            Ranks.run(
                4,
                inner -> {
                  LossyCommunicator ranks = new LossyCommunicator(inner, 1);
                  if (ranks.rank() == rank) {
                    ranks.killAt(n);
                  }
                  workload(ranks);
                  ranks.barrier(); // nobody is done before all are
                }));
  }

  @SeededTest(seeds = 20)
  void randomKillsAreReproducible(long seed) {
    assertThat(killAlone(seed)).isEqualTo(killAlone(seed));
  }

  private static String killAlone(long seed) {
    LossyCommunicator ranks = new LossyCommunicator(new SoloCommunicator(), seed);
    ranks.killAtRandom(.05);
    Optional<Throwable> end = Optional.empty();
    while (end.isEmpty()) {
      end = Optional.ofNullable(catchThrowable(() -> ranks.send(new byte[1], 0, 1)));
    }
    assertThat(end.get()).isInstanceOf(Killed.class).hasMessageContaining("seed " + seed);
    return end.get().toString();
  }

  @Test
  void aKilledRankCanDoNothingMore() {
    LossyCommunicator ranks = new LossyCommunicator(new SoloCommunicator(), 1);
    Request sent = ranks.startSend(new byte[1], 0, 1);
    Communicator split = ranks.split(0, 0);
    ranks.killAt(2);
    Request received = ranks.startReceive(new byte[1], 0, 1);

    assertThatThrownBy(() -> split.send(new byte[1], 0, 1)).isInstanceOf(Killed.class);
    assertThatThrownBy(sent::await).isInstanceOf(Killed.class);
    assertThatThrownBy(received::test).isInstanceOf(Killed.class);
    assertThatThrownBy(() -> ranks.poll(0, 1)).isInstanceOf(Killed.class);
    assertThatThrownBy(() -> ranks.probe(0, 1)).isInstanceOf(Killed.class);
    assertThatThrownBy(ranks::duplicate).isInstanceOf(Killed.class);
    assertThat(ranks.operations()).isEqualTo(4);
    split.close();
    ranks.close();
  }

  @Test
  void theMeterKnowsTheDestinations() {
    Ranks.run(
        4,
        inner -> {
          LossyCommunicator ranks = new LossyCommunicator(inner, 1);
          Communicator odd = ranks.split(ranks.rank() % 2, 0);
          ranks.meter().reset();
          if (ranks.rank() == 1) {
            ranks.send(new long[2], 2, 1);
            odd.send(new byte[5], 1, 1); // the second of the odd ones is rank 3
            assertThat(ranks.meter().bytesTo(2)).isEqualTo(16);
            assertThat(ranks.meter().bytesTo(3)).isEqualTo(5);
            assertThat(ranks.meter().bytes()).isEqualTo(21);
            assertThat(ranks.meter().messages()).isEqualTo(2);
          } else if (ranks.rank() == 2) {
            ranks.receive(new long[2], 1, 1);
          } else if (ranks.rank() == 3) {
            odd.receive(new byte[5], 0, 1);
          }
        });
  }

  /** The sender learns nothing of it; what it says later arrives. */
  @Test
  void whatIsSentOverALinkThatLosesNeverArrives() {
    Ranks.run(
        2,
        ranks -> {
          LossyCommunicator lossy = new LossyCommunicator(ranks, 1);
          Communicator copy = lossy.duplicate();
          if (ranks.rank() == 0) {
            lossy.lose(1, () -> true);
            lossy.send(new long[] {1}, 1, 7);
            copy.send(new long[] {2}, 1, 7);
            lossy.lose(1, () -> false);
            lossy.send(new long[] {3}, 1, 7);
            copy.send(new long[] {4}, 1, 7);
          } else {
            long[] heard = new long[1];
            lossy.receive(heard, 0, 7);
            assertThat(heard).containsExactly(3);
            copy.receive(heard, 0, 7);
            assertThat(heard).containsExactly(4);
          }
        });
  }

  /** In a simulation, so that nothing depends on who is first. */
  @Test
  void whatIsSentOverACutLinkArrivesInOrderWhenItIsWhole() throws Exception {
    Simulation simulation = new Simulation(1);
    long whole = Duration.ofSeconds(2).toNanos();
    simulation.run(
        () ->
            Ranks.run(
                2,
                ranks -> {
                  LossyCommunicator lossy = new LossyCommunicator(ranks, 1);
                  if (ranks.rank() == 0) {
                    lossy.cut(1, () -> simulation.clock().nanos() < whole);
                    lossy.send(new long[] {1}, 1, 7);
                    lossy.send(new long[] {2}, 1, 7);
                  } else {
                    long[] heard = new long[1];
                    lossy.receive(heard, 0, 7);
                    assertThat(heard).containsExactly(1);
                    assertThat(simulation.clock().nanos()).isGreaterThanOrEqualTo(whole);
                    lossy.receive(heard, 0, 7);
                    assertThat(heard).containsExactly(2);
                  }
                }));
  }
}
