// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;

/** Virtual threads with a scheduler of our own, which the JDK has for its own tests only. */
final class VirtualThreads {
  private static final Constructor<? extends Thread.Builder.OfVirtual> BUILDER = builder();

  private VirtualThreads() {}

  private static Constructor<? extends Thread.Builder.OfVirtual> builder() {
    try {
      Constructor<? extends Thread.Builder.OfVirtual> constructor =
          Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
              .asSubclass(Thread.Builder.OfVirtual.class)
              .getDeclaredConstructor(Executor.class);
      constructor.setAccessible(true);
      return constructor;
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IllegalStateException(
          "a simulation needs a JDK 25 that is told --add-opens java.base/java.lang=ALL-UNNAMED",
          e);
    }
  }

  /** A thread whose every run between two waits is given to the scheduler. */
  static Thread make(Executor scheduler, Runnable work, String name) {
    try {
      return BUILDER
          .newInstance(scheduler)
          .name(name)
          .uncaughtExceptionHandler((thread, failure) -> {}) // those who wait for it are told
          .unstarted(work);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
