// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * A program that computes on all cores, a thread for each: sweeps over an array that fits into a
 * cache. Counts how many it has done.
 */
public final class Computing implements AutoCloseable {
  private static final int CELLS = 16 << 10;

  private final AtomicBoolean stopped = new AtomicBoolean();
  private final LongAdder sweeps = new LongAdder();
  private final List<Thread> threads = new ArrayList<>();

  /** Begins. */
  public Computing(int cores) {
    for (int i = 0; i < cores; i++) {
      threads.add(Thread.ofPlatform().daemon().name("computing-" + i).start(this::compute));
    }
  }

  private void compute() {
    double[] cells = new double[CELLS];
    cells[CELLS / 2] = 1e6;
    while (!stopped.get()) {
      for (int i = 1; i < CELLS - 1; i++) {
        cells[i] = 0.25 * cells[i - 1] + 0.5 * cells[i] + 0.25 * cells[i + 1];
      }
      sweeps.increment();
    }
  }

  /** How many sweeps all threads have done. */
  public long sweeps() {
    return sweeps.sum();
  }

  @Override
  public void close() {
    stopped.set(true);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
