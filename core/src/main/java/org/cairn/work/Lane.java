// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Work beside the calling thread, one piece after the other: a stage of a pipeline. How much may
 * wait in it is for the caller to say, who has a buffer for each piece, and few of them.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>Pieces are done in the order in which they were given, never two at a time.
 *   <li>After one that failed none is begun: all fail as the first did.
 *   <li>Where there is no thread to be had the caller does the work itself, when it gives it.
 *   <li>{@link #close} returns when nobody works any more; what was not begun by then is not done.
 * </ol>
 *
 * <p>For one thread.
 */
public final class Lane implements AutoCloseable {
  private final @Nullable ExecutorService thread;
  private boolean started;
  private volatile boolean closed;

  /** Is looked at and changed by whoever works, and that is one thread at a time. */
  private volatile @Nullable Throwable failure;

  /** Makes something. */
  @FunctionalInterface
  public interface Work<T> {
    /** Makes it. */
    T run() throws IOException;
  }

  /** Does something. */
  @FunctionalInterface
  public interface Deed {
    /** Does it. */
    void run() throws IOException;
  }

  /** A piece of work that was given. */
  public static final class Piece<T> {
    private final FutureTask<T> task;

    private Piece(FutureTask<T> task) {
      this.task = task;
    }

    /** Whether it has come to an end, good or bad. */
    public boolean isDone() {
      return task.isDone();
    }

    /**
     * Waits for what it made; an interrupt is there again afterwards.
     *
     * @throws IOException what it threw, or what a piece before it did; as unchecked exceptions are
     */
    public T result() throws IOException {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            return task.get();
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      } catch (ExecutionException e) {
        throw thrown(e.getCause());
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    private static IOException thrown(@Nullable Throwable cause) {
      return switch (cause) {
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        case IOException e -> e;
        case null, default -> new IOException(cause);
      };
    }
  }

  private Lane(@Nullable ExecutorService thread) {
    this.thread = thread;
  }

  /** A lane with a thread, which is started with the first piece. */
  public static Lane beside(String name) {
    return new Lane(Supply.oneThread(name));
  }

  /** A lane without one: for whoever has too little to do for a thread to be worth it. */
  public static Lane here() {
    return new Lane(null);
  }

  /** Lets something be made. */
  public <T> Piece<T> ask(Work<T> work) {
    FutureTask<T> task = new FutureTask<>(() -> run(work));
    if (thread == null) {
      task.run();
    } else {
      execute(task, thread);
    }
    return new Piece<>(task);
  }

  private void execute(FutureTask<?> task, ExecutorService executor) {
    try {
      executor.execute(task);
      started = true;
    } catch (OutOfMemoryError e) {
      if (started) {
        throw e; // the thread is there, and may be at work
      }
      task.run();
    }
  }

  /** Lets something be done. */
  public Piece<Lane> give(Deed deed) {
    return ask(
        () -> {
          deed.run();
          return this;
        });
  }

  private <T> T run(Work<T> work) throws IOException {
    Throwable before = failure;
    if (before != null) {
      throw Piece.thrown(before);
    }
    if (closed) {
      throw new IOException("given up");
    }
    try {
      return work.run();
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  /** Whether no more pieces are begun. */
  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    if (thread != null) {
      Supply.end(thread);
    }
  }
}
