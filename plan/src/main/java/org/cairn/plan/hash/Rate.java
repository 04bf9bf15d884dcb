// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * How fast something went, in bytes a second.
 *
 * @param byClock as a person sees it
 * @param byProcessor what all threads together would reach if nobody else used their cores; NaN
 *     where that means nothing
 */
public record Rate(double byClock, double byProcessor) {

  /** What one of several threads does. */
  @FunctionalInterface
  public interface Share {
    /** The share of thread {@code thread} of {@code threads}. */
    void run(int thread, int threads);
  }

  /** Lets some threads do their shares of so many bytes, all at once, and looks at both clocks. */
  public static Rate of(long bytes, int threads, Share work) throws InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    LongAdder busy = new LongAdder();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> workers = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int mine = thread;
      workers.add(
          Thread.ofPlatform()
              .uncaughtExceptionHandler((_, e) -> failure.compareAndSet(null, e))
              .start(() -> busy.add(timed(start, () -> work.run(mine, threads)))));
    }
    long begin = System.nanoTime();
    start.countDown();
    for (Thread worker : workers) {
      worker.join();
    }
    double seconds = 1e-9 * (System.nanoTime() - begin);
    if (failure.get() != null) {
      throw new IllegalStateException("what was measured failed", failure.get());
    }
    return new Rate(bytes / seconds, 1e9 * bytes * threads / busy.sum());
  }

  private static long timed(CountDownLatch start, Runnable work) {
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    try {
      start.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
    long begin = clock.getCurrentThreadCpuTime();
    work.run();
    return clock.getCurrentThreadCpuTime() - begin;
  }

  /** The median of several, by each clock. */
  public static Rate median(List<Rate> rates) {
    return new Rate(median(rates, Rate::byClock), median(rates, Rate::byProcessor));
  }

  private static double median(List<Rate> rates, ToDoubleFunction<Rate> clock) {
    double[] sorted = rates.stream().mapToDouble(clock).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
