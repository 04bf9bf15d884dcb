// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures several things in turn, round after round, so that a busy spell of the machine hits all
 * of them alike. Every other round runs backwards: a drift of the machine cancels.
 */
final class Rounds {
  private final List<Named> subjects = new ArrayList<>();

  private record Named(String name, Subject subject) {}

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

  /** What this thread took of a processor: others on the machine take time, too. */
  static double ofProcessor(Timed timed) throws IOException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long start = threads.getCurrentThreadCpuTime();
    timed.run();
    return (threads.getCurrentThreadCpuTime() - start) * 1e-9;
  }

  Rounds add(String name, Subject subject) {
    subjects.add(new Named(name, subject));
    return this;
  }

  Rounds addTimed(String name, Timed timed) {
    return add(name, () -> time(timed));
  }

  /** Runs {@code warmup + rounds} rounds and gives the last {@code rounds} of each subject. */
  Map<String, Series> run(int warmup, int rounds) throws IOException {
    double[][] values = new double[subjects.size()][rounds];
    for (int round = -warmup; round < rounds; round++) {
      for (int i = 0; i < values.length; i++) {
        int turn = round % 2 == 0 ? i : values.length - 1 - i;
        double seconds = subjects.get(turn).subject.seconds();
        if (round >= 0) {
          values[turn][round] = seconds;
        }
      }
    }
    Map<String, Series> series = new LinkedHashMap<>();
    for (int i = 0; i < values.length; i++) {
      series.put(subjects.get(i).name, new Series(values[i]));
    }
    return series;
  }
}
