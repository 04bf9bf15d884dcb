// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures several things in turn, round after round, so that a busy spell of the machine hits all
 * of them alike. Every other round runs backwards: a drift of the machine cancels.
 */
final class Rounds {
  private final Map<String, Subject> subjects = new LinkedHashMap<>();

  /** Something to measure. */
  interface Subject {
    /** Does it once, after whatever must be prepared, and gives the seconds that count. */
    double seconds() throws IOException;
  }

  /** Something of which all the time counts. */
  interface Timed {
    /** Does it once. */
    void run() throws IOException;
  }

  static double time(Timed timed) throws IOException {
    long start = System.nanoTime();
    timed.run();
    return (System.nanoTime() - start) * 1e-9;
  }

  Rounds add(String name, Subject subject) {
    subjects.put(name, subject);
    return this;
  }

  Rounds addTimed(String name, Timed timed) {
    return add(name, () -> time(timed));
  }

  /** Runs {@code warmup + rounds} rounds and gives the last {@code rounds} of each subject. */
  Map<String, Series> run(int warmup, int rounds) throws IOException {
    Map<String, double[]> values = new LinkedHashMap<>();
    subjects.keySet().forEach(name -> values.put(name, new double[rounds]));
    for (int round = -warmup; round < rounds; round++) {
      for (String name : order(round)) {
        double seconds = subjects.get(name).seconds();
        if (round >= 0) {
          values.get(name)[round] = seconds;
        }
      }
    }
    Map<String, Series> series = new LinkedHashMap<>();
    values.forEach((name, all) -> series.put(name, new Series(all)));
    return series;
  }

  private List<String> order(int round) {
    List<String> names = new ArrayList<>(subjects.keySet());
    return round % 2 == 0 ? names : names.reversed();
  }
}
