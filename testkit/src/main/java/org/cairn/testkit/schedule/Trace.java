// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * What happened in a simulation: a digest of all of it, and the last lines; all of them where
 * somebody is {@linkplain Simulation#telling told}.
 */
public final class Trace {
  private static final int LINES = 200;
  private static final long FACTOR = 0x9E3779B97F4A7C15L;

  private final Deque<Line> lines = new ArrayDeque<>();
  private Consumer<String> listener = line -> {};
  private boolean isHeard;
  private long digest;
  private long slices;

  /** Put into words only when somebody reads it: there are millions of them. */
  private record Line(long time, String group, String name, int number, String what) {
    long digest() {
      long words = 31L * (31L * group.hashCode() + name.hashCode()) + what.hashCode();
      return (words * FACTOR + time) * FACTOR + number;
    }

    @Override
    public String toString() {
      return time + " " + group + "/" + name + "#" + number + " " + what;
    }
  }

  void slice(long time, String group, String name, int number) {
    slices++;
    add(time, group, name, number, "runs");
  }

  void add(long time, String group, String name, int number, String what) {
    Line line = new Line(time, group, name, number, what);
    digest = Long.rotateLeft(digest, 17) * FACTOR + line.digest();
    lines.addLast(line);
    if (lines.size() > LINES) {
      lines.removeFirst();
    }
    if (isHeard) {
      listener.accept(line.toString());
    }
  }

  void tell(Consumer<String> newListener) {
    listener = newListener;
    isHeard = true;
  }

  /** Of everything that happened, in its order. */
  public long digest() {
    return digest;
  }

  /** How often a task was chosen. */
  public long slices() {
    return slices;
  }

  /** What happened at the end. */
  public List<String> lines() {
    return lines.stream().map(Line::toString).toList();
  }
}
