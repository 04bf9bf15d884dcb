// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.cairn.plan.simulate.Scenarios.SEED;
import static org.cairn.plan.simulate.Scenarios.exponential;
import static org.cairn.plan.simulate.Scenarios.plain;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.cairn.plan.failure.Failure;
import org.cairn.plan.failure.Lifetime;
import org.cairn.plan.failure.Trace;
import org.junit.jupiter.api.Test;

/** What holds for any scenario, and how the simulator behaves towards its caller. */
class SimulatorTest {
  @Test
  void statesSumUpWhateverTheScenario() {
    int unfinished = 0;
    int interrupted = 0;
    for (int i = 0; i < 400; i++) {
      Scenario scenario = anyScenario(new Chance(SEED, i));
      Trial trial = new Trial(scenario, () -> false);
      for (int repeat = 0; repeat < 3; repeat++) {
        Outcome outcome = trial.run(new Chance(SEED + 1 + repeat, i));
        check("seed " + SEED + ", scenario " + i + ": " + scenario, scenario, outcome);
        unfinished += outcome.finished() ? 0 : 1;
        interrupted += outcome.finished() && outcome.interrupts() > 0 ? 1 : 0;
      }
    }
    assertThat(unfinished).as("unfinished").isBetween(50, 1000);
    assertThat(interrupted).as("interrupted but finished").isGreaterThan(200);
  }

  private static void check(String what, Scenario scenario, Outcome outcome) {
    double sum = outcome.work() + outcome.checkpoint() + outcome.recover() + outcome.rework();
    assertThat(sum).as(what).isCloseTo(outcome.wall(), within(1e-9 * outcome.wall()));
    assertThat(outcome.interrupts()).as(what).isLessThanOrEqualTo(outcome.failures());
    double rounding = 1e-9 * scenario.work();
    if (outcome.finished()) {
      assertThat(outcome.work()).as(what).isCloseTo(scenario.work(), within(rounding));
      assertThat(outcome.wall()).as(what).isGreaterThan(scenario.work() - rounding);
      assertThat(outcome.wall()).as(what).isLessThanOrEqualTo(scenario.giveUpAfter());
    } else {
      assertThat(outcome.wall()).as(what).isEqualTo(scenario.giveUpAfter());
      assertThat(outcome.work()).as(what).isLessThan(scenario.work() + rounding);
    }
    if (outcome.interrupts() == 0) {
      assertThat(outcome.recover() + outcome.rework()).as(what).isZero();
    }
  }

  private static Scenario anyScenario(Chance chance) {
    double work = 1 + 1000 * chance.uniform();
    int levels = 1 + chance.below(3);
    int sockets = 1 + chance.below(40);
    int degree = 1 + chance.below(Math.min(3, sockets));
    Mapping mapping = List.copyOf(EnumSet.allOf(Mapping.class)).get(chance.below(4));
    return new Scenario(
        work,
        1 + work * chance.uniform() * chance.uniform(),
        IntStream.range(0, levels).mapToObj(i -> anyLevel(chance, i, levels)).toList(),
        IntStream.range(1, levels).map(i -> 1 + chance.below(4)).toArray(),
        anyModel(chance, sockets, work),
        new Replicas(degree, chance.uniform(), mapping),
        chance.below(2) == 0,
        work * (1 + 10 * chance.uniform()));
  }

  private static Level anyLevel(Chance chance, int level, int levels) {
    double cost = 10 * chance.uniform();
    double[] samples = {0, chance.uniform(), chance.uniform()};
    List<CheckpointCost> costs =
        List.of(
            new CheckpointCost.Fixed(cost),
            new CheckpointCost.Drawn(samples),
            new CheckpointCost.Differential(cost, 1, samples));
    return new Level("level " + level, 1.0 / levels, costs.get(chance.below(3)), cost);
  }

  private static FailureModel anyModel(Chance chance, int sockets, double work) {
    double mean = work * sockets * Math.pow(10, chance.uniform() * 2 - 1.2);
    List<Lifetime> lifetimes =
        List.of(
            Lifetime.exponential(mean),
            Lifetime.weibull(0.7, mean),
            Lifetime.logNormal(1, mean),
            Lifetime.gamma(2, mean));
    Lifetime lifetime = lifetimes.get(chance.below(4));
    List<Failure> failures =
        IntStream.range(0, 10)
            .mapToObj(i -> new Failure(Math.floor(i * chance.uniform()) * work, i % sockets))
            .toList();
    return switch (chance.below(4)) {
      case 0 -> new FailureModel.PerSocket(lifetime, sockets);
      case 1 -> new FailureModel.PerSocket(lifetime, sockets, mean * chance.uniform());
      case 2 -> new FailureModel.WholeSystem(lifetime, sockets);
      default -> new FailureModel.Replay(new Trace("random", sockets, withEnds(failures, work)));
    };
  }

  private static List<Failure> withEnds(List<Failure> failures, double work) {
    List<Failure> all = new ArrayList<>(failures);
    all.add(new Failure(20 * work, 0));
    return all;
  }

  @Test
  void withoutFailuresItIsArithmetic() {
    FailureModel none = exponential(1e30, 1);
    assertThat(wall(plain(1000, 100, 7, 3, none))).isEqualTo(1000 + 10 * 7);
    assertThat(wall(plain(1000, 300, 7, 3, none))).isEqualTo(1000 + 4 * 7);
    assertThat(wall(plain(1000, 5000, 7, 3, none))).isEqualTo(1000 + 7);
    // 0.3 / 0.1 is a little less than 3, and 3 · 0.1 a little more than 0.3.
    assertThat(wall(plain(0.3, 0.1, 2, 3, none))).isCloseTo(0.3 + 3 * 2, within(1e-12));
    assertThat(wall(plain(2.1, 0.7, 2, 3, none))).isCloseTo(2.1 + 3 * 2, within(1e-12));
    assertThat(wall(threeLevels(false))).isEqualTo(1300 + 6 * 1 + 4 * 10 + 2 * 100);
    assertThat(wall(threeLevels(true))).isEqualTo(1300 + 7 * 1 + 4 * 10 + 2 * 100);
  }

  /** Checkpoints 1 to 13: 6 and 12 are of the highest level, 2, 4, 8 and 10 of the middle one. */
  private static Scenario threeLevels(boolean saveAtEnd) {
    List<Level> levels =
        List.of(
            new Level("memory", 0.5, new CheckpointCost.Fixed(1), 1),
            new Level("partner", 0.25, new CheckpointCost.Fixed(10), 1),
            new Level("disk", 0.25, new CheckpointCost.Fixed(100), 1));
    int[] counts = {2, 3};
    FailureModel none = exponential(1e30, 1);
    return new Scenario(1300, 100, levels, counts, none, Replicas.NONE, saveAtEnd, 1e9);
  }

  private static double wall(Scenario scenario) {
    return Simulator.run(scenario, 1, SEED, 1, done -> {}).wallTime().mean();
  }

  @Test
  void rollbackDestroysLowerLevels() {
    Fallback pattern = new Fallback(new int[] {2, 3});
    pattern.begin();
    assertThat(pattern.rollback(2)).isZero();
    for (int number = 1; number <= 9; number++) {
      pattern.completed(number, pattern.level(number));
    }
    assertThat(pattern.rollback(0)).isEqualTo(9);
    assertThat(pattern.rollback(1)).isEqualTo(8);
    assertThat(pattern.rollback(0)).as("9 is gone").isEqualTo(8);
    assertThat(pattern.rollback(2)).isEqualTo(6);
    assertThat(pattern.rollback(1)).as("8 is gone").isEqualTo(6);
    pattern.begin();
    assertThat(pattern.rollback(0)).isZero();
  }

  @Test
  void threadsDoNotMatterButSeedsDo() {
    FailureModel failures = new FailureModel.PerSocket(Lifetime.weibull(0.6, 1e6), 1000, 100);
    Replicas replicas = new Replicas(2, 0.9, Mapping.SHUFFLE);
    Scenario plain = plain(5000, 100, 5, 5, failures);
    Scenario scenario =
        new Scenario(5000, 100, plain.levels(), new int[0], failures, replicas, true, 6000);
    Simulation one = Simulator.run(scenario, 100, SEED, 1, done -> {});
    assertThat(Simulator.run(scenario, 100, SEED, 2, done -> {})).isEqualTo(one);
    assertThat(Simulator.run(scenario, 100, SEED, 7, done -> {})).isEqualTo(one);
    assertThat(Simulator.run(scenario, 100, SEED + 1, 2, done -> {}).wallTime())
        .isNotEqualTo(one.wallTime());
    assertThat(one.wallTime().deviation()).isPositive();
    assertThat(one.seed()).isEqualTo(SEED);
  }

  @Test
  void progressRisesByOne() {
    List<Integer> told = Collections.synchronizedList(new ArrayList<>());
    Simulator.run(plain(100, 10, 1, 1, exponential(100, 1)), 50, SEED, 3, told::add);
    assertThat(told).isEqualTo(IntStream.rangeClosed(1, 50).boxed().toList());
  }

  /** And not the cancellation of the other threads, which are in the middle of trials. */
  @Test
  void whatAWorkerThrowsComesOut() {
    Scenario scenario = plain(10_000, 10, 1, 1, exponential(100, 1));
    for (int i = 0; i < 20; i++) {
      RuntimeException thrown = new IllegalStateException("told to stop");
      assertThatThrownBy(() -> Simulator.run(scenario, 10_000, SEED, 4, failAt(20, thrown)))
          .isSameAs(thrown);
    }
  }

  private static IntConsumer failAt(int count, RuntimeException thrown) {
    return done -> {
      if (done == count) {
        throw thrown;
      }
    };
  }

  @Test
  void interruptCancels() throws InterruptedException {
    Scenario endless = plain(1e9, 1e9, 1, 1, exponential(10, 1));
    CountDownLatch started = new CountDownLatch(1);
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread caller =
        Thread.ofPlatform()
            .start(
                () -> {
                  started.countDown();
                  try {
                    Simulator.run(endless, 4, SEED, 2, done -> {});
                  } catch (CancellationException e) {
                    flag.complete(Thread.currentThread().isInterrupted());
                  } finally {
                    flag.completeExceptionally(new CompletionException("not cancelled", null));
                  }
                });
    started.await();
    caller.interrupt();
    caller.join();
    assertThat(flag.join()).isTrue();
  }
}
