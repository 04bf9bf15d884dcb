// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.zip.CRC32C;

/** What happened in a simulation: a digest of all of it, and the last lines. */
public final class Trace {
  private static final int LINES = 200;

  private final CRC32C digest = new CRC32C();
  private final Deque<String> last = new ArrayDeque<>();
  private final StringBuilder whole = new StringBuilder();
  private final boolean keepsAll = Boolean.getBoolean("cairn.trace");
  private long slices;

  void slice(long time, int task) {
    slices++;
    add(time, Integer.toString(task), "runs");
  }

  void add(long time, String task, String what) {
    String line = time + " " + task + " " + what;
    digest.update(line.getBytes(StandardCharsets.UTF_8));
    if (keepsAll) {
      whole.append(line).append('\n');
    } else {
      last.addLast(line);
      if (last.size() > LINES) {
        last.removeFirst();
      }
    }
  }

  /** Of everything that happened, in its order. */
  public long digest() {
    return digest.getValue();
  }

  /** How often a task was chosen. */
  public long slices() {
    return slices;
  }

  /** What happened at the end; with {@code -Dcairn.trace=true} all of it. */
  public List<String> lines() {
    return keepsAll ? whole.toString().lines().toList() : List.copyOf(last);
  }
}
