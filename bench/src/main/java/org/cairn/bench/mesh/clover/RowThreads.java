// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of threads that share the rows of a loop, in blocks. The caller is one of them; a
 * single thread is a plain call.
 *
 * <p>Assumes one caller at a time. A loop is over, and its writes are seen, when the call returns.
 */
public final class RowThreads implements AutoCloseable {
  /** A loop over the rows {@code from} up to, not including, {@code to}. */
  public interface Rows {
    /** Computes these rows. */
    void compute(int from, int to);
  }

  /** The same, with a result. */
  interface RowsMin {
    double compute(int from, int to);
  }

  /** What a loop of a small grid takes; who waits longer sleeps. */
  private static final int SPINS = 1_000;

  private final int threads;
  private final List<Thread> helpers = new ArrayList<>();
  private final AtomicInteger busy = new AtomicInteger();
  private final double[] least;

  private Rows rows = (from, to) -> {};
  private int first;
  private int end;
  private @Nullable Thread caller;
  private final AtomicInteger turn = new AtomicInteger();
  private volatile boolean closed;
  private volatile @Nullable Throwable failure;

  /** So many threads, the caller among them. */
  public RowThreads(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("loops need at least one thread, not " + threads);
    }
    this.threads = threads;
    this.least = new double[threads];
    for (int helper = 1; helper < threads; helper++) {
      int share = helper;
      helpers.add(Thread.ofPlatform().daemon().name("rows-" + helper).start(() -> help(share)));
    }
  }

  /** Runs a loop over rows. */
  public void each(int from, int to, Rows body) {
    if (threads == 1) {
      body.compute(from, to);
      return;
    }
    rows = body;
    first = from;
    end = to;
    caller = Thread.currentThread();
    busy.set(helpers.size());
    turn.incrementAndGet(); // publishes all of the above
    helpers.forEach(LockSupport::unpark);
    compute(0);
    for (int spins = 0; busy.get() > 0; spins++) {
      pause(spins);
    }
    rethrow();
  }

  double min(int from, int to, RowsMin body) {
    if (threads == 1) {
      return body.compute(from, to);
    }
    each(
        0,
        threads,
        (share, next) -> least[share] = body.compute(cut(from, to, share), cut(from, to, next)));
    double min = least[0];
    for (double value : least) {
      min = Math.min(min, value);
    }
    return min;
  }

  private int cut(int from, int to, int share) {
    return from + (int) ((long) (to - from) * share / threads);
  }

  private void compute(int share) {
    try {
      rows.compute(cut(first, end, share), cut(first, end, share + 1));
    } catch (RuntimeException | Error e) {
      failure = e;
    }
  }

  private void help(int share) {
    int done = 0;
    while (true) {
      for (int spins = 0; turn.get() == done && !closed; spins++) {
        pause(spins);
      }
      if (closed) {
        return;
      }
      done++;
      compute(share);
      if (busy.decrementAndGet() == 0) {
        LockSupport.unpark(caller);
      }
    }
  }

  private void pause(int spins) {
    if (spins < SPINS) {
      Thread.onSpinWait();
    } else {
      LockSupport.park(this);
    }
  }

  private void rethrow() {
    Throwable thrown = failure;
    if (thrown != null) {
      failure = null;
      throw new IllegalStateException("a loop failed in one of " + threads + " threads", thrown);
    }
  }

  @Override
  public void close() {
    closed = true;
    helpers.forEach(LockSupport::unpark);
  }
}
