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
 */
public final class Team implements AutoCloseable {
  private static final int LOOKS = 2_000;

  private final Thread[] helpers;
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger round = new AtomicInteger();
  private volatile boolean closed;
  private @Nullable IntConsumer work;
  private volatile @Nullable Throwable failure;

  /** A team of so many threads, the caller included. */
  public Team(int threads) {
    helpers = new Thread[threads - 1];
    for (int n = 0; n < helpers.length; n++) {
      int part = n + 1;
      helpers[n] = Thread.ofPlatform().daemon().name("cairn-mesh-" + part).start(() -> serve(part));
    }
  }

  /** How many there are. */
  public int threads() {
    return helpers.length + 1;
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
    for (Thread helper : helpers) {
      LockSupport.unpark(helper);
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
    for (int looks = 0; left.get() != 0; looks++) {
      if (looks < LOOKS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
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

  private void serve(int part) {
    int seen = 0;
    while (true) {
      for (int looks = 0; round.get() == seen && !closed; looks++) {
        if (looks < LOOKS) {
          Thread.onSpinWait();
        } else {
          LockSupport.park(this);
        }
      }
      if (closed) {
        return;
      }
      seen = round.get();
      doPart(part);
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
    for (Thread helper : helpers) {
      LockSupport.unpark(helper);
    }
  }
}
