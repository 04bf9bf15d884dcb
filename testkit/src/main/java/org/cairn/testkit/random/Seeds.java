// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import java.util.Random;
import java.util.stream.LongStream;

/**
 * Which seeds a {@link SeededTest} is run with.
 *
 * <ul>
 *   <li>Without properties: always the same, derived from the name of the test, so that a build
 *       fails for a reason that lies in the change.
 *   <li>{@code -Dcairn.seed=NNN}: this one only, to replay a failure.
 *   <li>{@code -Dcairn.seed=random}: fresh ones, to find what nobody has seen yet.
 *   <li>{@code -Dcairn.iterations=K}: K seeds for each test; {@code xK}: K times as many as the
 *       test asks for, {@code x0.1} a tenth, but one at least.
 * </ul>
 */
public final class Seeds {
  /** The property that chooses seeds. */
  public static final String SEED = "cairn.seed";

  /** The property that chooses how many. */
  public static final String ITERATIONS = "cairn.iterations";

  private static final String FRESH = "random";

  private Seeds() {}

  /** The seeds for a test that asks for {@code count} of them, by the system properties. */
  public static LongStream of(String test, int count) {
    return of(test, count, System.getProperty(SEED, ""), System.getProperty(ITERATIONS, ""));
  }

  /** As {@link #of}; where there is time, so many times as many. The test is {@link Thorough}. */
  public static LongStream more(String test, int count, int times) {
    return of(test, Boolean.getBoolean(Thorough.PROPERTY) ? count * times : count);
  }

  /**
   * A generator of content that is always the same, by a number that is written down. It fills
   * memory; it must not decide what happens.
   */
  public static Random content(long number) {
    return new Random(number);
  }

  static LongStream of(String test, int count, String seed, String iterations) {
    if (!seed.isEmpty() && !seed.equals(FRESH)) {
      return LongStream.of(number(SEED, seed));
    }
    long start = seed.equals(FRESH) ? System.nanoTime() : test.hashCode();
    // Small numbers are easier to read and type than 64 random bits, and collide rarely enough.
    return new Random(start).longs(iterations(count, iterations), 0, 1_000_000_000_000L);
  }

  private static long iterations(int count, String iterations) {
    if (iterations.isEmpty()) {
      return count;
    }
    return iterations.startsWith("x")
        ? Math.max(1, Math.round(count * factor(iterations)))
        : number(ITERATIONS, iterations);
  }

  private static double factor(String iterations) {
    try {
      return Double.parseDouble(iterations.substring(1));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("-D" + ITERATIONS + "=" + iterations, e);
    }
  }

  private static long number(String property, String value) {
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("-D" + property + "=" + value + " is not a number", e);
    }
  }
}
