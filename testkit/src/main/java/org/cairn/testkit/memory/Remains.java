// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.memory;

import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Which of some objects can still be reached: a test that lets a thousand jobs live in one JVM
 * fails when something keeps them, long before the heap is full.
 *
 * <pre>{@code
 * Remains remains = new Remains();
 * for (...) {
 *   live(remains.of(new Simulation(seed)));
 * }
 * assertThat(remains.count()).isZero();
 * }</pre>
 *
 * <p>Whoever asks must not hold one in a variable. Safe for use by many threads.
 */
public final class Remains {
  /** One is enough where the JVM does what it is asked; cleaners may need another. */
  private static final int COLLECTIONS = 5;

  private final Queue<WeakReference<Object>> watched = new ConcurrentLinkedQueue<>();

  /** From now on it is counted; gives it back. */
  public <T> T of(T object) {
    watched.add(new WeakReference<>(object));
    return object;
  }

  /** How many are watched. */
  public int watched() {
    return watched.size();
  }

  /** How many of them can be reached after garbage was collected. */
  public long count() {
    long left = watched.size();
    for (int i = 0; i < COLLECTIONS && left > 0; i++) {
      System.gc();
      left = watched.stream().map(WeakReference::get).filter(Objects::nonNull).count();
    }
    return left;
  }
}
