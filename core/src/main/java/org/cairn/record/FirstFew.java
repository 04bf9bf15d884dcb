// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The first of many things, and how many there are: a disk that dies has millions of bad blocks,
 * and nobody reads that many lines. Serves several threads.
 */
public final class FirstFew<T> {
  /** How many are kept. */
  public static final int MOST = 1000;

  private final List<T> first = new ArrayList<>();
  private long count;

  /** Counts one more, and keeps it if it is one of the first. */
  public synchronized void add(T one) {
    count++;
    if (first.size() < MOST) {
      first.add(one);
    }
  }

  /** The first ones. */
  public synchronized List<T> first() {
    return List.copyOf(first);
  }

  /** How many there are. */
  public synchronized long count() {
    return count;
  }

  /** The first ones as lines, and a last line that says how many more there are. */
  public synchronized List<String> lines(Function<T, String> text) {
    return lines(first.stream().map(text).toList(), count);
  }

  /** The same of a list that may be longer than what is to be told. */
  public static List<String> lines(List<String> all) {
    return lines(all, all.size());
  }

  private static List<String> lines(List<String> some, long count) {
    List<String> lines = new ArrayList<>(some.subList(0, Math.min(some.size(), MOST)));
    if (count > lines.size()) {
      lines.add("and %,d more".formatted(count - lines.size()));
    }
    return lines;
  }
}
