// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import org.cairn.RestartReport;

/**
 * Says how far the program is, in lines that people and programs can read: {@code restarted from
 * version VERSION}, then now and then {@code iteration ITERATION of ITERATIONS}.
 */
final class ProgressLines {
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final boolean enabled;
  private final long iterations;
  private final PrintStream out;
  private long nextAt = System.nanoTime();

  ProgressLines(boolean enabled, long iterations, PrintStream out) {
    this.enabled = enabled;
    this.iterations = iterations;
    this.out = out;
  }

  void started(RestartReport report, long iteration) {
    if (!enabled) {
      return;
    }
    report.version().ifPresent(version -> out.println("restarted from version " + version));
    for (int rank = 0; rank < report.origins().size(); rank++) {
      out.println("rank " + rank + " restored from " + report.origins().get(rank));
    }
    report.problems().forEach(problem -> out.println("problem: " + problem));
    print(iteration);
  }

  void reached(long iteration) {
    if (enabled && System.nanoTime() - nextAt >= 0) {
      print(iteration);
    }
  }

  void finished(long iteration) {
    if (enabled) {
      print(iteration);
    }
  }

  private void print(long iteration) {
    out.println("iteration " + iteration + " of " + iterations);
    out.flush();
    nextAt = System.nanoTime() + PAUSE;
  }
}
