// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.cairn.plan.simulate.Scenarios.SEED;

import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.Stream;
import org.apache.commons.numbers.gamma.LogGamma;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.simple.RandomSource;
import org.apache.commons.statistics.distribution.ContinuousDistribution;
import org.apache.commons.statistics.distribution.GammaDistribution;
import org.apache.commons.statistics.distribution.LogNormalDistribution;
import org.apache.commons.statistics.distribution.WeibullDistribution;
import org.cairn.plan.failure.Failure;
import org.cairn.plan.failure.Lifetime;
import org.cairn.plan.failure.Trace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Sources of failures; the fast one against a twin that knows the fate of every socket. */
class FailureSourceTest {
  private static final int SOCKETS = 50;
  private static final int TRIALS = 1500;

  /** Lifetime, the same from commons-statistics, age, how long to watch. */
  static Stream<Arguments> twins() {
    return Stream.of(
        Arguments.of(new Lifetime.Weibull(0.469, 100), WeibullDistribution.of(0.469, 100), 0, 20),
        Arguments.of(new Lifetime.Weibull(0.469, 100), WeibullDistribution.of(0.469, 100), 80, 150),
        Arguments.of(new Lifetime.Weibull(2.5, 100), WeibullDistribution.of(2.5, 100), 60, 150),
        Arguments.of(new Lifetime.LogNormal(4, 1.5), LogNormalDistribution.of(4, 1.5), 0, 100),
        Arguments.of(new Lifetime.LogNormal(4, 0.5), LogNormalDistribution.of(4, 0.5), 40, 60),
        Arguments.of(new Lifetime.Gamma(0.5, 100), GammaDistribution.of(0.5, 100), 0, 30),
        Arguments.of(new Lifetime.Gamma(3, 20), GammaDistribution.of(3, 20), 50, 200));
  }

  @ParameterizedTest
  @MethodSource("twins")
  void fastSourceIsLikeEverySocketOnItsOwn(
      Lifetime lifetime, ContinuousDistribution twin, double age, double window) {
    FailureSource source = FailureSource.of(new FailureModel.PerSocket(lifetime, SOCKETS, age));
    UniformRandomProvider random = RandomSource.XO_SHI_RO_256_PP.create(SEED);
    double[][] fast = new double[5][TRIALS];
    double[][] slow = new double[5][TRIALS];
    for (int trial = 0; trial < TRIALS; trial++) {
      source.begin(new Chance(SEED, trial));
      watch(source, window, fast, trial);
      watch(new EverySocket(twin.createSampler(random), age), window, slow, trial);
    }
    List<String> names = List.of("first failure", "fifth", "failures", "early ones", "victims");
    for (int i = 0; i < fast.length; i++) {
      Estimate a = Estimate.of(fast[i]);
      Estimate b = Estimate.of(slow[i]);
      double error = Math.hypot(a.deviation(), b.deviation()) / Math.sqrt(TRIALS);
      assertThat(Math.abs(a.mean() - b.mean()))
          .as("seed %d, %s of %s: %s, twin %s", SEED, names.get(i), lifetime, a, b)
          .isLessThan(3.5 * error);
    }
  }

  private static void watch(FailureSource source, double window, double[][] seen, int trial) {
    BitSet victims = new BitSet();
    int failures = 0;
    for (double time = source.next(); failures < 5 || time < window; time = source.next()) {
      if (failures == 0 || failures == 4) {
        seen[failures / 4][trial] = Math.min(time, window);
      }
      failures++;
      if (time < window) {
        seen[2][trial]++;
        seen[3][trial] += time < window / 10 ? 1 : 0;
        victims.set(source.victim());
      }
    }
    seen[4][trial] = victims.cardinality();
  }

  /** The simplest thing that is right: a queue of all sockets. */
  private static final class EverySocket extends FailureSource {
    private record Timer(double time, int socket) {}

    private final ContinuousDistribution.Sampler lives;
    private final PriorityQueue<Timer> queue =
        new PriorityQueue<>(Comparator.comparingDouble(Timer::time));

    EverySocket(ContinuousDistribution.Sampler lives, double age) {
      this.lives = lives;
      for (int socket = 0; socket < SOCKETS; socket++) {
        double life = lives.sample();
        while (life < age) {
          life = lives.sample();
        }
        queue.add(new Timer(life - age, socket));
      }
    }

    @Override
    void begin(Chance chance) {}

    @Override
    double next() {
      Timer first = queue.remove();
      aim(first.socket);
      queue.add(new Timer(first.time + lives.sample(), first.socket));
      return first.time;
    }
  }

  /** The minimum of n Weibull lifetimes is Weibull with a scale of n^(−1/shape) as much. */
  @Test
  void firstOfManySockets() {
    double shape = 0.469;
    int sockets = 200_000;
    FailureSource source =
        FailureSource.of(new FailureModel.PerSocket(new Lifetime.Weibull(shape, 5e7), sockets));
    double[] first = new double[40000];
    for (int i = 0; i < first.length; i++) {
      source.begin(new Chance(SEED, i));
      first[i] = source.next();
    }
    double expected = 5e7 * Math.pow(sockets, -1 / shape) * Math.exp(LogGamma.value(1 + 1 / shape));
    Scenarios.assertAgrees(Estimate.of(first), expected, 0.03);
  }

  /** Each socket's failures come in order, and every socket has its turn. */
  @Test
  void timeNeverGoesBack() {
    FailureSource source =
        FailureSource.of(new FailureModel.PerSocket(Lifetime.logNormal(1, 100), 7, 1e4));
    BitSet victims = new BitSet();
    source.begin(new Chance(SEED, 0));
    double last = 0;
    for (int i = 0; i < 2000; i++) {
      double time = source.next();
      assertThat(time).isGreaterThanOrEqualTo(last);
      last = time;
      victims.set(source.victim());
    }
    assertThat(victims.cardinality()).isEqualTo(7);
  }

  @Test
  void replayGoesRound() {
    List<Failure> failures =
        List.of(new Failure(0, 3), new Failure(10, 1), new Failure(10, 2), new Failure(15, 0));
    FailureSource source =
        FailureSource.of(new FailureModel.Replay(new Trace("short", 4, failures)));
    double round = 15 + 5;
    Estimate start = Estimate.of(firstTimes(source));
    // From the start to the next of the gaps 10, 5 and 5: Σ gap² / 2 / round.
    Scenarios.assertAgrees(start, (100 + 25 + 25) / 2.0 / round, 0.05);
    source.begin(new Chance(SEED, 0));
    double first = source.next();
    double second = source.next();
    double third = source.next();
    assertThat(source.next() - first).isCloseTo(round, within(1e-9));
    assertThat(new double[] {second - first, third - second, first + round - third})
        .usingComparatorWithPrecision(1e-9)
        .containsExactlyInAnyOrder(10, 5, 5);
  }

  private static double[] firstTimes(FailureSource source) {
    double[] times = new double[4000];
    for (int i = 0; i < times.length; i++) {
      source.begin(new Chance(SEED, i));
      times[i] = source.next();
    }
    return times;
  }

  @Test
  void lotteryDrawsEachOnceAndAllAlike() {
    Lottery lottery = new Lottery(5);
    int[][] drawn = new int[5][5];
    for (int round = 0; round < 20000; round++) {
      Chance chance = new Chance(SEED, round);
      BitSet seen = new BitSet();
      lottery.begin();
      for (int i = 0; i < 5; i++) {
        int socket = lottery.draw(chance);
        seen.set(socket);
        drawn[i][socket]++;
      }
      assertThat(seen.cardinality()).isEqualTo(5);
    }
    for (int[] counts : drawn) {
      for (int count : counts) {
        assertThat(count).isBetween(3750, 4250);
      }
    }
  }
}
