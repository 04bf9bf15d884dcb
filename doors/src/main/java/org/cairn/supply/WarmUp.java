// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Has code compiled before it is used: runs it on samples, in a thread aside, until it is fast.
 *
 * <p>A few samples suffice to have it compiled; what takes time is the compiler, which wants a core
 * for a tenth of a second or more, as does the program. So the thread rests most of the time: one
 * that ran samples all along took a core of two away from a restart, for seconds.
 */
public final class WarmUp {
  /** How much longer it rests than a sample has taken, and at most. */
  private static final int RESTS = 4;

  private static final long LONGEST_REST = 2_000_000;

  /**
   * How long it rests when all that is left is to wait for a compiler. Vectors that are not
   * compiled are objects: samples one after the other left hundreds of megabytes of them, and a
   * heap that had grown for nothing else.
   */
  private static final long REST_WHILE_COMPILED = 4_000_000;

  /** In this mode a JVM has its first compiler only, or none. */
  private static final boolean COMPILES = compiles(System.getProperty("java.vm.info", ""));

  private WarmUp() {}

  static boolean compiles(String mode) {
    return !mode.contains("emulated-client") && !mode.contains("interpreted");
  }

  /** Whether this JVM has the compiler that it would be for. */
  public static boolean isPossible() {
    return COMPILES;
  }

  /**
   * When code is fast.
   *
   * @param bytes what a sample has
   * @param rate in bytes per nanosecond: one that only compiled code reaches
   * @param samples how many have to be that fast: compilation comes in stages
   * @param asking how many samples may be slow before the compilers have surely been asked
   * @param limit when it is given up
   */
  public record Goal(long bytes, double rate, int samples, int asking, Duration limit) {
    private boolean isFast(long time) {
      return bytes > rate * time;
    }
  }

  /**
   * Begins to run something aside, with low priority.
   *
   * @return false if there is no memory for a thread
   */
  public static boolean start(Runnable task, String name) {
    try {
      Thread thread = Supply.threadAside(task, name);
      thread.setPriority(Thread.MIN_PRIORITY);
      thread.start();
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Runs a sample until it is fast; says whether it has become so. */
  public static boolean run(Runnable sample, Goal goal) {
    int fast = 0;
    int slow = 0;
    long start = System.nanoTime();
    long before = start;
    while (fast < goal.samples && before - start < goal.limit.toNanos()) {
      sample.run();
      long time = System.nanoTime() - before;
      if (goal.isFast(time)) {
        fast++;
      } else {
        slow++;
      }
      boolean compiling = slow > goal.asking && !goal.isFast(time);
      LockSupport.parkNanos(compiling ? REST_WHILE_COMPILED : Math.min(LONGEST_REST, RESTS * time));
      before = System.nanoTime();
    }
    return fast == goal.samples;
  }
}
