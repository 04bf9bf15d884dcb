// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.ranks;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads that do parts of a loop, the caller among them.
 *
 * <p>Loops follow each other within microseconds, so who has nothing to do looks for a while before
 * it sleeps.
 *
 * <p>Assumes one caller. Guarantees that a part is done, and what it wrote is seen, when {@link
 * #run} returns; and that nobody sleeps while there is something to do: a helper says that it
 * sleeps before it looks for the last time, and the caller says that there is work before it looks
 * who sleeps.
 */
public final class Team implements AutoCloseable {
  /**
   * After so many looks without work to do or an end to wait for it is time to look at the clock.
   */
  private static final int LOOKS = 256;

  /**
   * How long a helper looks for work. Between loops that are shared there are such that are not,
   * boundaries above all: who sleeps that long has to be woken each time, which takes longer.
   */
  private static final long PATIENCE_NANOS = 250_000;

  private final Helper[] helpers;
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger round = new AtomicInteger();
  private volatile boolean closed;
  private @Nullable IntConsumer work;
  private volatile @Nullable Throwable failure;

  /** A thread beside the caller's. */
  private final class Helper implements Runnable {
    private final int part;
    private final Thread thread;
    private volatile boolean sleeps;

    Helper(int part) {
      this.part = part;
      this.thread = Thread.ofPlatform().daemon().name("cairn-mesh-" + part).unstarted(this);
    }

    @Override
    public void run() {
      int seen = 0;
      while (true) {
        look(seen);
        if (closed) {
          return;
        }
        seen = round.get();
        doPart(part);
      }
    }

    private void look(int seen) {
      long since = System.nanoTime();
      for (int looks = 1; round.get() == seen && !closed; looks++) {
        if (looks % LOOKS != 0 || System.nanoTime() - since < PATIENCE_NANOS) {
          Thread.onSpinWait();
        } else {
          sleep(seen);
        }
      }
    }

    private void sleep(int seen) {
      sleeps = true;
      if (round.get() == seen && !closed) {
        LockSupport.park(Team.this);
      }
      sleeps = false;
    }

    void wake() {
      if (sleeps) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** A team of so many threads, the caller included. */
  public Team(int threads) {
    helpers = new Helper[threads - 1];
    for (int n = 0; n < helpers.length; n++) {
      helpers[n] = new Helper(n + 1);
      helpers[n].thread.start();
    }
  }

  /** How many there are. */
  public int threads() {
    return helpers.length + 1;
  }

  /** Whether all of them look for work, so that little of it is worth sharing too. */
  public boolean isAwake() {
    for (Helper helper : helpers) {
      if (helper.sleeps) {
        return false;
      }
    }
    return true;
  }

  /** Does all parts at once, from 0 to one less than there are threads, and waits for them. */
  public void run(IntConsumer part) {
    if (helpers.length == 0) {
      part.accept(0);
      return;
    }
    work = part;
    left.set(helpers.length);
    round.incrementAndGet(); // publishes the work
    for (Helper helper : helpers) {
      helper.wake();
    }
    Throwable mine = null;
    try {
      part.accept(0);
    } catch (RuntimeException | Error e) {
      mine = e;
    }
    await();
    Throwable first = mine == null ? failure : mine;
    failure = null;
    work = null;
    rethrow(first);
  }

  private void await() {
    for (int looks = 1; left.get() != 0; looks++) {
      if (looks % LOOKS != 0) {
        Thread.onSpinWait();
      } else {
        Thread.yield(); // to others, where there are fewer cores than threads
      }
    }
  }

  private static void rethrow(@Nullable Throwable failure) {
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }

  private void doPart(int part) {
    try {
      IntConsumer todo = work;
      if (todo != null) {
        todo.accept(part);
      }
    } catch (RuntimeException | Error e) {
      failure = e;
    } finally {
      left.decrementAndGet();
    }
  }

  @Override
  public void close() {
    closed = true;
    for (Helper helper : helpers) {
      LockSupport.unpark(helper.thread);
    }
  }
}
