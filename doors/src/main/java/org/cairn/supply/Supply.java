// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The one place that native memory, large arrays, threads and timed waits come from, so that a test
 * can refuse the n-th of them, for every n, or decide itself which thread goes on. Files, messages,
 * time and random bits have doors of their own; but memory and threads belong to the process, and
 * so does this.
 *
 * <p>Whoever asks must bear an {@link OutOfMemoryError}: what was begun is given up, what is
 * counted is counted after it is there, and the next call works.
 */
public final class Supply {
  /** What can run out. */
  public enum Kind {
    NATIVE_MEMORY,
    ARRAY,
    THREAD
  }

  /** Is asked before anything is taken. */
  public interface Control {
    /**
     * Somebody wants something.
     *
     * @param amount bytes, or one thread
     * @throws OutOfMemoryError if there is to be none
     */
    void requested(Kind kind, long amount);

    /** Memory that any thread may use and close. */
    default Arena sharedArena() {
      return Arena.ofShared();
    }

    /** A thread that is not started yet. */
    default Thread thread(Runnable task, String name) {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    }

    /** Lets so much time pass, unless the thread is woken or interrupted before. */
    default void nap(Object why, long nanos) {
      LockSupport.parkNanos(why, nanos);
    }

    /** Waits for the end of a thread, but not longer. */
    default void join(Thread thread, Duration limit) throws InterruptedException {
      thread.join(limit);
    }

    /** Waits for the end of all tasks, but not longer; whether they have ended. */
    default boolean join(ExecutorService tasks, Duration limit) throws InterruptedException {
      return tasks.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Waits for a future, but not longer; whether it is done, whatever became of it. */
    default boolean await(CompletableFuture<?> future, Duration limit) throws InterruptedException {
      try {
        future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        return true;
      } catch (ExecutionException | CancellationException e) {
        return true;
      } catch (TimeoutException e) {
        return false;
      }
    }

    /** A time in nanoseconds that only grows. */
    default long nanos() {
      return System.nanoTime();
    }

    /** A thread has come to a place where another may go on. */
    default void step(String where) {}
  }

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Control NONE = (kind, amount) -> {};
  private static volatile Control control = NONE;

  private Supply() {}

  /** Asks this control from now on, for tests. */
  public static void controlledBy(Control other) {
    control = other;
  }

  /** Gives what there is from now on. */
  public static void uncontrolled() {
    control = NONE;
  }

  private static void request(Kind kind, long amount) {
    control.requested(kind, amount);
  }

  // ---------------------------------------------------------------- native memory

  /** Memory that any thread may use and close. Closing it costs a handshake of all threads. */
  public static Arena sharedArena() {
    return new SuppliedArena(control.sharedArena());
  }

  /** Memory for the calling thread. */
  public static Arena confinedArena() {
    return new SuppliedArena(Arena.ofConfined());
  }

  /** Memory that is given back when nobody can reach it any more. */
  public static Arena autoArena() {
    return new SuppliedArena(Arena.ofAuto());
  }

  static void requestNativeMemory(long bytes) {
    request(Kind.NATIVE_MEMORY, bytes);
  }

  // ---------------------------------------------------------------- arrays that grow with the
  // state

  /** An array of bytes. */
  public static byte[] bytes(int length) {
    request(Kind.ARRAY, length);
    return new byte[length];
  }

  /** An array of ints. */
  public static int[] ints(int length) {
    request(Kind.ARRAY, (long) Integer.BYTES * length);
    return new int[length];
  }

  /** An array of longs. */
  public static long[] longs(int length) {
    request(Kind.ARRAY, (long) Long.BYTES * length);
    return new long[length];
  }

  /** A copy of another length. */
  public static int[] copy(int[] array, int length) {
    request(Kind.ARRAY, (long) Integer.BYTES * length);
    return Arrays.copyOf(array, length);
  }

  /** A copy of another length. */
  public static long[] copy(long[] array, int length) {
    request(Kind.ARRAY, (long) Long.BYTES * length);
    return Arrays.copyOf(array, length);
  }

  // ---------------------------------------------------------------- threads

  /**
   * A daemon that is not started yet; if there are no more threads, starting it fails as this does.
   */
  public static Thread thread(Runnable task, String name) {
    request(Kind.THREAD, 1);
    return control.thread(task, name);
  }

  /** The same, started. */
  public static Thread started(Runnable task, String name) {
    Thread thread = thread(task, name);
    thread.start();
    return thread;
  }

  /**
   * One thread for one task after the other, started when there is one. As of {@code Executors},
   * but whoever leaves it open keeps nothing but that thread: theirs is held by the JDK's cleaner,
   * with its factory, its queue and whatever the two lead to, until somebody shuts it down.
   */
  public static ThreadPoolExecutor oneThread(String name) {
    return new ThreadPoolExecutor(
        1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> thread(task, name));
  }

  /**
   * A thread of the process rather than of the program: to let the machine compile something, or to
   * run at the end. It is never part of a simulation.
   */
  public static Thread threadAside(Runnable task, String name) {
    request(Kind.THREAD, 1);
    return NONE.thread(task, name);
  }

  // ---------------------------------------------------------------- waits that end by themselves

  /** Lets so much time pass, unless the thread is woken or interrupted before. */
  public static void nap(Object why, long nanos) {
    control.nap(why, nanos);
  }

  /** Waits for the end of a thread, but not longer. */
  public static void join(Thread thread, Duration limit) throws InterruptedException {
    control.join(thread, limit);
  }

  /** Waits for the end of all tasks, but not longer; whether they have ended. */
  public static boolean join(ExecutorService tasks, Duration limit) throws InterruptedException {
    return control.join(tasks, limit);
  }

  /** Waits for the end of all tasks it was given; an interrupt is there again afterwards. */
  public static void end(ExecutorService tasks) {
    end(tasks, () -> PATIENCE, () -> false);
  }

  /**
   * The same, as long as it is not given up.
   *
   * @param patience how long it waits at a time
   * @param givenUp asked after each time
   */
  public static void end(
      ExecutorService tasks, Supplier<Duration> patience, BooleanSupplier givenUp) {
    tasks.shutdown();
    boolean interrupted = false;
    while (true) {
      try {
        if (join(tasks, patience.get()) || givenUp.getAsBoolean()) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for a future, but not longer; whether it is done, whatever became of it. */
  public static boolean await(CompletableFuture<?> future, Duration limit)
      throws InterruptedException {
    return control.await(future, limit);
  }

  /** A time in nanoseconds that only grows, for measuring; what is decided by time has a clock. */
  public static long nanos() {
    return control.nanos();
  }

  /** Says that a piece of work is done: a simulation may let another thread go on here. */
  public static void step(String where) {
    control.step(where);
  }
}
