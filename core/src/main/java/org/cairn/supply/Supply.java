// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The one place that native memory, large arrays and threads come from, so that a test can refuse
 * the n-th of them, for every n. Files, messages, time and random bits have doors of their own; but
 * memory and threads belong to the process, and so does this.
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
  }

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
    return new SuppliedArena(Arena.ofShared());
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
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
