// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import org.cairn.plan.Checks;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a job under coordinated checkpoint/restart in the manner of Riesen's simulator: it is
 * in one of the states work, checkpoint, recover and rework, and failures come in all of them.
 *
 * <ol>
 *   <li>After each {@link Scenario#interval} of work a checkpoint is written; it counts when it is
 *       complete.
 *   <li>A failed socket is repaired at once, but its process is lost until the next interrupt. When
 *       the last replica of a process is lost the job is interrupted, and all processes come back.
 *   <li>The severity of an interrupt is drawn from the shares of the levels. The job falls back to
 *       the newest complete checkpoint of this level or a higher one, or to its start, and spends
 *       the {@link Level#restart} of the severity. An interrupt meanwhile begins the recovery anew,
 *       that of the graver of the two.
 * </ol>
 *
 * <p>What it costs: time and memory grow with the failures that happen, not with sockets, except
 * for arrays that each thread makes once; see {@link RenewalSource}.
 */
public final class Simulator {
  private final Scenario scenario;
  private final long seed;
  private final IntConsumer progress;
  private final Outcome[] outcomes;
  private int taken;
  private int done;
  private @Nullable Throwable failure;
  private volatile boolean stop;

  private Simulator(Scenario scenario, int trials, long seed, IntConsumer progress) {
    this.scenario = scenario;
    this.seed = seed;
    this.progress = progress;
    outcomes = new Outcome[trials];
  }

  /**
   * Runs all trials. The result depends on the scenario, the number of trials and the seed, but not
   * on the number of threads.
   *
   * @param progress is told the number of trials that are done, rising by one, by one thread at a
   *     time, none of which is the caller's
   * @throws CancellationException if the calling thread is interrupted; its flag is set again
   */
  public static Simulation run(
      Scenario scenario, int trials, long seed, int threads, IntConsumer progress) {
    Checks.some(trials, "the number of trials");
    Checks.some(threads, "the number of threads");
    Simulator simulator = new Simulator(scenario, trials, seed, progress);
    simulator.runAll(Math.min(threads, trials));
    return Simulation.of(simulator.outcomes, seed);
  }

  private void runAll(int threads) {
    var factory = Thread.ofPlatform().name("simulate-", 0).daemon().factory();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads, factory)) {
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        workers.add(pool.submit(this::work));
      }
      await(workers);
    }
  }

  private void await(List<Future<?>> workers) {
    try {
      for (Future<?> worker : workers) {
        worker.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw cancelled(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("workers keep what they throw", e);
    } finally {
      // Before the pool is closed, which waits for its workers.
      stop = true;
    }
    rethrow();
  }

  private synchronized void rethrow() {
    switch (failure) {
      case RuntimeException cause -> throw cause;
      case Error cause -> throw cause;
      case null, default -> {}
    }
  }

  private static CancellationException cancelled(InterruptedException cause) {
    var cancelled = new CancellationException("the simulation was interrupted");
    cancelled.initCause(cause);
    return cancelled;
  }

  /** What each thread does: trial after trial, until none is left or another one failed. */
  private void work() {
    try {
      Trial trial = new Trial(scenario, () -> stop);
      for (int i = take(); i < outcomes.length && !stop; i = take()) {
        outcomes[i] = trial.run(new Chance(seed, i));
        report();
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /** The first is what went wrong; later ones are trials that were cancelled for it. */
  private synchronized void fail(Throwable cause) {
    if (failure == null && !stop) {
      failure = cause;
    }
    stop = true;
  }

  private synchronized int take() {
    return taken++;
  }

  private synchronized void report() {
    progress.accept(++done);
  }
}
