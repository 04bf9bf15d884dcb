// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Lets few threads begin what many will go on with, as long as a process is cold.
 *
 * <p>Before the JVM compiles code in earnest it runs it with counters, which all threads share. Two
 * threads hardly notice. Sixteen that hash take the counters' lines of the cache from each other
 * all the time, are slower together than two, and leave the compilers no time: half of what a
 * restart of 512 MiB took on 16 cores, and a quarter on two, went there.
 */
public final class Thaw {
  /** More would disturb each other, fewer would leave a disk idle. */
  private static final int FEW = 2;

  /** The compilers are through by then; measured from 32 to 512 MiB. */
  private static final long ENOUGH_BYTES = 64L << 20;

  private static final AtomicLong WORKED = new AtomicLong();

  private Thaw() {}

  /** What workers do, part by part, for as long as they are to go on. */
  public interface Task {
    /** Does parts that nobody else does until none is left, or {@code goOn} says no. */
    void run(int worker, BooleanSupplier goOn) throws IOException;
  }

  /**
   * Runs the task on few workers as long as it is cold, and on all if then anything is left.
   *
   * @param anyLeft whether there are parts that nobody has begun
   */
  public static void run(Workers workers, BooleanSupplier anyLeft, Task task) throws IOException {
    if (isCold() && workers.size() > FEW) {
      workers.run(FEW, worker -> task.run(worker, Thaw::isCold));
    }
    if (anyLeft.getAsBoolean()) {
      workers.run(worker -> task.run(worker, () -> true));
    }
  }

  /** Takes note that so many bytes were hashed, or done the like with. */
  public static void worked(long bytes) {
    if (isCold()) {
      WORKED.addAndGet(bytes);
    }
  }

  private static boolean isCold() {
    return WORKED.get() < ENOUGH_BYTES;
  }
}
