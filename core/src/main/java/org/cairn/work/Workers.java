// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * A crew of threads that run the same task side by side.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>{@link #run} returns only when every worker has left the task, however it left it.
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
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    CountDownLatch running = new CountDownLatch(count - 1);
    int started = 1;
    while (started < count && start(task, started, failure, running)) {
      started++;
    }
    attempt(task, 0, failure);
    for (int worker = started; worker < count; worker++) {
      attempt(task, worker, failure);
      running.countDown();
    }
    awaitUninterruptibly(running);
    rethrow(failure.get());
  }

  /** Whether a worker has begun; if threads have run out, the caller must do its part. */
  private boolean start(
      Task task, int worker, AtomicReference<@Nullable Throwable> failure, CountDownLatch running) {
    try {
      executor()
          .execute(
              () -> {
                attempt(task, worker, failure);
                running.countDown();
              });
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

  private static void attempt(Task task, int worker, AtomicReference<@Nullable Throwable> failure) {
    try {
      task.run(worker);
    } catch (Throwable e) {
      Throwable first = failure.compareAndExchange(null, e);
      if (first != null && first != e) {
        first.addSuppressed(e);
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

  private static void rethrow(@Nullable Throwable failure) throws IOException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IOException(failure);
    }
  }

  @Override
  public void close() {
    if (others != null) {
      others.shutdown();
    }
  }
}
