// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.plan.failure.Lifetime;
import org.cairn.plan.simulate.CheckpointCost;
import org.cairn.plan.simulate.Estimate;
import org.cairn.plan.simulate.FailureModel;
import org.cairn.plan.simulate.Scenario;
import org.cairn.work.Workers;

/**
 * The failure simulator as one writes it first: every socket has its next failure in a heap. It
 * shares no code with {@link org.cairn.plan.simulate.Simulator} but the scenario, so that besides a
 * baseline it is a check: both must find the same means.
 *
 * <p>It knows one level of checkpoints of a fixed cost, and exponential or Weibull lives of new
 * sockets.
 */
final class EverySocket {
  private final Scenario scenario;
  private final Lifetime lifetime;
  private final double checkpoint;
  private final double restart;
  private final int degree;
  private final int processes;
  private final SocketHeap heap;
  private final boolean[] dead;
  private final int[] losses;
  private SplittableRandom random = new SplittableRandom(0);
  private double clock;
  private long failures;

  private EverySocket(Scenario scenario) {
    this.scenario = scenario;
    if (!(scenario.failures() instanceof FailureModel.PerSocket(Lifetime life, int n, double age)
        && age == 0
        && scenario.levels().getFirst().cost() instanceof CheckpointCost.Fixed(double cost)
        && scenario.levels().size() == 1
        && scenario.replicas().share() == 1)) {
      throw new IllegalArgumentException("too much for a naive simulator: " + scenario);
    }
    lifetime = life;
    checkpoint = cost;
    restart = scenario.levels().getFirst().restart();
    degree = scenario.replicas().degree();
    processes = n / degree;
    heap = new SocketHeap(n);
    dead = new boolean[degree == 1 ? 0 : n];
    losses = new int[degree == 1 ? 0 : processes];
  }

  /** What the trials found. */
  record Result(Estimate wallTime, Estimate failures) {}

  /** Runs trials on all workers. */
  static Result run(Scenario scenario, int trials, long seed, Workers crew) throws IOException {
    double[] walls = new double[trials];
    double[] failures = new double[trials];
    AtomicInteger next = new AtomicInteger();
    crew.run(
        worker -> {
          EverySocket simulator = new EverySocket(scenario);
          for (int i = next.getAndIncrement(); i < trials; i = next.getAndIncrement()) {
            walls[i] = simulator.trial(new SplittableRandom(seed + i));
            failures[i] = simulator.failures;
          }
        });
    return new Result(Estimate.of(walls), Estimate.of(failures));
  }

  private double trial(SplittableRandom chance) {
    begin(chance);
    double saved = 0;
    while (saved < scenario.work() && clock < scenario.giveUpAfter()) {
      double piece = Math.min(scenario.interval(), scenario.work() - saved);
      boolean last = saved + piece >= scenario.work();
      if (survives(piece + (last && !scenario.saveAtEnd() ? 0 : checkpoint))) {
        saved = last ? scenario.work() : saved + piece;
      } else {
        recover();
      }
    }
    return clock;
  }

  private void begin(SplittableRandom chance) {
    random = chance;
    clock = 0;
    failures = 0;
    revive();
    heap.fill(this::life);
  }

  private void recover() {
    while (clock < scenario.giveUpAfter() && !survives(restart)) {
      // The next failure begins the recovery anew.
    }
  }

  /** Lets time pass until the duration is over, or an interrupt, or the time to give up. */
  private boolean survives(double duration) {
    double end = clock + duration;
    double until = Math.min(end, scenario.giveUpAfter());
    while (heap.firstTime() < until) {
      double moment = heap.firstTime();
      int socket = heap.firstSocket();
      heap.replaceFirst(moment + life());
      if (kills(socket)) {
        revive();
        clock = moment;
        return false;
      }
    }
    clock = until;
    return end <= until;
  }

  /** Replicas are neighbours; sockets that are left over are idle. */
  private boolean kills(int socket) {
    int process = socket / degree;
    if (process >= processes) {
      return false;
    }
    failures++;
    if (degree == 1) {
      return true;
    }
    if (dead[socket]) {
      return false;
    }
    dead[socket] = true;
    return ++losses[process] == degree;
  }

  private void revive() {
    Arrays.fill(dead, false);
    Arrays.fill(losses, 0);
  }

  /** By inversion, from the textbook. */
  private double life() {
    double exponential = -Math.log(1 - random.nextDouble());
    return switch (lifetime) {
      case Lifetime.Exponential(double mean) -> mean * exponential;
      case Lifetime.Weibull(double shape, double scale) -> scale * Math.pow(exponential, 1 / shape);
      default -> throw new IllegalArgumentException("too much for a naive simulator: " + lifetime);
    };
  }
}
