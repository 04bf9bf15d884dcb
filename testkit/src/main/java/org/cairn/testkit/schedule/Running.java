// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.cairn.supply.Supply;

/**
 * Simulations that run at the moment, each on a thread of its own: {@link Supply} belongs to the
 * process, and what a task asks it is answered by the task's own simulation. Threads that are no
 * tasks get what they would get without any.
 */
final class Running implements Supply.Control {
  private static final Supply.Control NONE = (kind, amount) -> {};
  private static final ThreadLocal<Supply.Control> OWN = ThreadLocal.withInitial(() -> NONE);
  private static int count;

  private Running() {}

  /** One more. */
  static synchronized void begin() {
    if (count++ == 0) {
      Supply.controlledBy(new Running());
    }
  }

  /** One less. */
  static synchronized void end() {
    if (--count == 0) {
      Supply.uncontrolled();
    }
  }

  /** The work of a task. */
  static Runnable within(Simulation simulation, Runnable work) {
    return () -> {
      OWN.set(simulation);
      work.run();
    };
  }

  @Override
  public void requested(Supply.Kind kind, long amount) {
    OWN.get().requested(kind, amount);
  }

  @Override
  public Arena sharedArena() {
    return OWN.get().sharedArena();
  }

  @Override
  public Thread thread(Runnable work, String name) {
    return OWN.get().thread(work, name);
  }

  @Override
  public void nap(Object why, long nanos) {
    OWN.get().nap(why, nanos);
  }

  @Override
  public void join(Thread thread, Duration limit) throws InterruptedException {
    OWN.get().join(thread, limit);
  }

  @Override
  public boolean join(ExecutorService tasks, Duration limit) throws InterruptedException {
    return OWN.get().join(tasks, limit);
  }

  @Override
  public boolean await(CompletableFuture<?> future, Duration limit) throws InterruptedException {
    return OWN.get().await(future, limit);
  }

  @Override
  public long nanos() {
    return OWN.get().nanos();
  }

  @Override
  public void step(String where) {
    OWN.get().step(where);
  }
}
