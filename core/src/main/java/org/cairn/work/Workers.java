// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * A crew of threads that run the same task side by side.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>{@link #run} returns only when every worker has left the task, however it left it; the part
 *       of one whose thread has not begun by then is done by the caller.
 *   <li>The calling thread is one of the workers, so a crew of one starts no thread.
 *   <li>The first failure of any worker is thrown to the caller, the others are attached to it.
 *   <li>An interrupt of the caller does not cut the task short; it is there again afterwards.
 * </ol>
 */
public final class Workers implements AutoCloseable {
  private final int size;
  private final @Nullable ExecutorService others;

  /** What each worker does; {@code worker} counts from 0, which is the caller. */
  public interface Task {
    /** Runs to the end of the work that is left for this worker. */
    void run(int worker) throws IOException;
  }

  /** A crew of {@code size} threads, daemons named after {@code role}. */
  public Workers(int size, String role) {
    if (size < 1) {
      throw new IllegalArgumentException("a crew of " + size + " threads");
    }
    this.size = size;
    this.others = size == 1 ? null : Executors.newFixedThreadPool(size - 1, named(role));
  }

  private static ThreadFactory named(String role) {
    AtomicInteger next = new AtomicInteger(1);
    return task -> Supply.thread(task, role + "-" + next.getAndIncrement());
  }

  /** How many threads run a task. */
  public int size() {
    return size;
  }

  /** Runs the task on all workers. */
  public void run(Task task) throws IOException {
    run(size, task);
  }

  /** Runs the task on the first {@code count} workers only. */
  public void run(int count, Task task) throws IOException {
    Round round = new Round(task, count);
    int started = 1;
    while (started < count && start(round, started)) {
      started++;
    }
    // Then what nobody has begun: threads may have run out, or woken up after the work was done.
    for (int worker = 0; worker < count; worker++) {
      round.work(worker);
    }
    awaitUninterruptibly(round.running);
    round.rethrow();
  }

  /** Whether a worker may begin; if threads have run out, the caller will do its part. */
  private boolean start(Round round, int worker) {
    try {
      executor().execute(() -> round.work(worker));
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  private ExecutorService executor() {
    if (others == null) {
      throw new IllegalStateException("a crew of one has no other threads");
    }
    return others;
  }

  /**
   * One run of a task by all of its workers. Wherever memory runs out, nobody is waited for who has
   * left or will never come.
   */
  private static final class Round {
    private final Task task;
    private final boolean[] begun;
    private final CountDownLatch running;
    private @Nullable Throwable failure;

    Round(Task task, int count) {
      this.task = task;
      this.begun = new boolean[count];
      this.running = new CountDownLatch(count);
    }

    /** Does a worker's part, unless somebody else has begun it. */
    void work(int worker) {
      if (begin(worker)) {
        try {
          task.run(worker);
        } catch (Throwable e) {
          fail(e);
        } finally {
          running.countDown();
        }
      }
    }

    private synchronized boolean begin(int worker) {
      boolean first = !begun[worker];
      begun[worker] = true;
      return first;
    }

    private synchronized void fail(Throwable e) {
      if (failure == null) {
        failure = e;
      } else if (failure != e) {
        attach(failure, e);
      }
    }

    private static void attach(Throwable first, Throwable other) {
      try {
        first.addSuppressed(other);
      } catch (OutOfMemoryError e) {
        // There is no memory even for that; the first failure is what the caller has to know.
      }
    }

    synchronized void rethrow() throws IOException {
      switch (failure) {
        case null -> {}
        case IOException e -> throw e;
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new IOException(failure);
      }
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    if (others != null) {
      others.shutdown();
    }
  }
}
