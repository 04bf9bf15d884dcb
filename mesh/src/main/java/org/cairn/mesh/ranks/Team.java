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
 * it sleeps. Each helper has a part of its own, with the same number in each loop, because it finds
 * in its cache what it wrote before. But a part that its helper has not begun when the caller is
 * done with its own is the caller's: nobody waits for a helper that sleeps, or that has no core.
 *
 * <p>Assumes one caller at a time. Guarantees that each part is done once, also if another one
 * fails, and that what was done is seen when {@link #run} returns.
 */
public final class Team implements AutoCloseable {
  private static final int LOOKS = 2_000;

  private final Helper[] helpers;
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger round = new AtomicInteger();
  private volatile boolean closed;
  private @Nullable IntConsumer work;
  private volatile @Nullable Throwable failure;

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

  /** Whether one of them would come without being woken. */
  public boolean isAwake() {
    for (Helper helper : helpers) {
      if (!helper.sleeps) {
        return true;
      }
    }
    return false;
  }

  /**
   * Does all parts at once, from 0 to one less than there are threads, and waits for them.
   *
   * @param wakes whether there is so much to do that it is worth waking who sleeps
   */
  public void run(boolean wakes, IntConsumer part) {
    if (helpers.length == 0) {
      part.accept(0);
      return;
    }
    begin(wakes, part);
    doPart(part, 0);
    int now = round.get();
    for (Helper helper : helpers) {
      if (helper.claim(now)) {
        doPart(part, helper.part);
        left.decrementAndGet();
      }
    }
    await();
    Throwable thrown = failure;
    failure = null;
    work = null;
    rethrow(thrown);
  }

  private void begin(boolean wakes, IntConsumer part) {
    work = part;
    left.set(helpers.length);
    round.incrementAndGet(); // publishes the work
    for (Helper helper : helpers) {
      if (wakes && helper.sleeps) {
        LockSupport.unpark(helper.thread);
      }
    }
  }

  private void await() {
    for (int looks = 0; left.get() != 0; looks++) {
      if (looks < LOOKS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  private void doPart(IntConsumer todo, int part) {
    try {
      todo.accept(part);
    } catch (RuntimeException | Error e) {
      failure = e;
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

  /** One that is not the caller. */
  private final class Helper {
    private final int part;
    private final Thread thread;

    /** The last round whose part of it somebody has begun. */
    private final AtomicInteger begun = new AtomicInteger();

    /** Whether it has to be woken; if it is about to sleep, it looks once more after saying so. */
    private volatile boolean sleeps;

    Helper(int part) {
      this.part = part;
      this.thread = Thread.ofPlatform().daemon().name("cairn-mesh-" + part).unstarted(this::serve);
    }

    /** Whether who asks is the one to do its part in a round. */
    boolean claim(int round) {
      return begun.get() != round && begun.compareAndSet(round - 1, round);
    }

    private void serve() {
      for (int seen = 0; !closed; ) {
        awaitRoundAfter(seen);
        seen = round.get();
        if (claim(seen)) { // the round stays open until it is done: the work is that round's
          IntConsumer todo = work;
          if (todo != null) {
            doPart(todo, part);
          }
          left.decrementAndGet();
        }
      }
    }

    private void awaitRoundAfter(int seen) {
      for (int looks = 0; round.get() == seen && !closed; looks++) {
        if (looks < LOOKS) {
          Thread.onSpinWait();
          continue;
        }
        sleeps = true;
        if (round.get() == seen && !closed) {
          LockSupport.park(Team.this);
        }
        sleeps = false;
      }
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
