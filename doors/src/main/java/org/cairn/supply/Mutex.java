// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one thread in at a time, also through calls of files and messages, where a monitor may not
 * be held: {@code synchronized} is for what only looks at memory. (A simulation changes threads at
 * such calls, and can see who waits for a lock, but not who waits for a monitor.)
 *
 * <pre>{@code
 * try (Mutex.Held _ = mutex.hold()) {
 *   …
 * }
 * }</pre>
 */
public final class Mutex {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Held held = lock::unlock;

  /** The time in which nobody else comes in. */
  @FunctionalInterface
  public interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /** Comes in, as soon as nobody else is; whoever is in may come in again. */
  public Held hold() {
    lock.lock();
    return held;
  }

  /** Steps aside until something {@linkplain #announce changes}; for who is in. */
  @SuppressWarnings("WaitNotInLoop") // the loop is that of the caller, who knows what for
  public void awaitChange() throws InterruptedException {
    changed.await();
  }

  /** Tells all who wait for a change; for who is in. */
  public void announce() {
    changed.signalAll();
  }
}
