// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import org.cairn.supply.Mutex;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that one call is going on at a time, and none after {@code close}, and says what is in
 * the way.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>While a thread is in a call, no other thread begins one. It is refused rather than made to
 *       wait: who is inside may be waiting for it, as {@code System.exit} in a function of the
 *       program waits for a shutdown hook that closes.
 *   <li>A function of the program that is called from inside cannot begin another call; what only
 *       {@linkplain #join joins} it may.
 *   <li>Who closes while another thread closes waits until that has come to its end.
 *   <li>What a call has changed is seen by the next, whatever its thread.
 * </ol>
 */
final class Turn {
  private static final String CLOSE = "close()";

  private final Mutex mutex = new Mutex();

  /** Made in advance: a call that began and cannot say so would never end. */
  private final Held held = this::leave;

  private @Nullable Thread holder;
  private String call = "";
  private int depth;

  /** Set by the last call; asked without waiting for the one that is going on. */
  private volatile boolean closed;

  /** A call that is going on, until it is closed. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /** Begins a call. */
  Held take(String what) {
    try (Mutex.Held _ = mutex.hold()) {
      refuseInside(what);
      ensureOpen();
      return enter(what);
    }
  }

  /**
   * Begins a call to what was begun before, and perhaps ended with {@code close}: it knows that
   * itself, and need not be refused for it.
   */
  Held takeEvenClosed(String what) {
    try (Mutex.Held _ = mutex.hold()) {
      refuseInside(what);
      return enter(what);
    }
  }

  /** Begins a call that functions of the program may make, too. */
  Held join(String what) {
    try (Mutex.Held _ = mutex.hold()) {
      refuseOthers(what);
      ensureOpen();
      return enter(what);
    }
  }

  /** Begins to close. */
  Held takeToClose() {
    try (Mutex.Held _ = mutex.hold()) {
      boolean interrupted = false;
      while (holder != null && holder != Thread.currentThread() && call.equals(CLOSE)) {
        try {
          mutex.awaitChange();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      return takeEvenClosed(CLOSE);
    }
  }

  /** There are no more calls after the one that is going on. */
  void end() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** Refuses what comes after the last call. */
  void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("this Checkpointer is closed");
    }
  }

  /** The call that is going on. */
  String call() {
    try (Mutex.Held _ = mutex.hold()) {
      return call;
    }
  }

  private Held enter(String what) {
    if (depth++ == 0) {
      holder = Thread.currentThread();
      call = what;
    }
    return held;
  }

  private void refuseInside(String what) {
    refuseOthers(what);
    if (depth > 0) {
      throw new IllegalStateException(
          "%s was called while %s is going on, by a function that it calls; call it after %s has returned"
              .formatted(what, call, call));
    }
  }

  private void refuseOthers(String what) {
    Thread other = holder;
    if (other != null && other != Thread.currentThread()) {
      throw new IllegalStateException(
          "%s was called by thread %s while %s of thread %s is going on; call it after that has returned"
              .formatted(what, Thread.currentThread().getName(), call, other.getName()));
    }
  }

  private void leave() {
    try (Mutex.Held _ = mutex.hold()) {
      if (--depth == 0) {
        holder = null;
        mutex.announce();
      }
    }
  }
}
