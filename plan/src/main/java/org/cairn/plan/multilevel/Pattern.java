// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.multilevel;

import java.util.Arrays;
import java.util.Locale;
import org.cairn.plan.Checks;

/**
 * Which level each checkpoint is of, again and again: after every {@code interval} seconds of work
 * a checkpoint of the first level, but every {@code counts[0]}-th of them is of the second level,
 * every {@code counts[1]}-th of those of the third, and so on. With two levels and a count of 4:
 *
 * <pre>work c₁ work c₁ work c₁ work c₂</pre>
 *
 * @param interval seconds of work before each checkpoint
 * @param counts one for each level but the last
 */
public record Pattern(double interval, int... counts) {
  /** Nobody takes so many. */
  private static final int LONGEST = 1_000_000_000;

  /** Refuses patterns without work or without checkpoints. */
  public Pattern {
    Checks.positive(interval, "the interval");
    counts = counts.clone();
    for (int count : counts) {
      Checks.some(count, "the number of checkpoints for one of the next level");
    }
    double length = 1;
    for (int count : counts) {
      length *= count;
    }
    if (length > LONGEST) {
      throw new IllegalArgumentException(
          "the counts "
              + Arrays.toString(counts)
              + " make a pattern of more than "
              + LONGEST
              + " checkpoints");
    }
  }

  @Override
  public int[] counts() {
    return counts.clone();
  }

  /** How many levels it has. */
  public int levels() {
    return counts.length + 1;
  }

  /** How many checkpoints it has. */
  public int length() {
    return Math.toIntExact(product(counts));
  }

  static long product(int[] counts) {
    return Arrays.stream(counts).asLongStream().reduce(1, Math::multiplyExact);
  }

  /** Seconds of work in it. */
  public double work() {
    return length() * interval;
  }

  /** The level, from 0, of its checkpoint number {@code index}, from 0. */
  public int level(int index) {
    int level = 0;
    int number = index + 1;
    while (level < counts.length && number % counts[level] == 0) {
      number /= counts[level];
      level++;
    }
    return level;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Pattern that
        && interval == that.interval
        && Arrays.equals(counts, that.counts);
  }

  @Override
  public int hashCode() {
    return Double.hashCode(interval) * 31 + Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s every %.6g s", Arrays.toString(counts), interval);
  }
}
