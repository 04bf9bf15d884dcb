// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How busy others keep the machine while something is measured: processor time of all but this
 * process and those it has started, in cores (Linux; elsewhere nobody knows, and it is not a
 * number).
 */
final class OtherWork {
  /** More than this, and a measurement says nothing. */
  static final double MOST = 0.2;

  /** Ticks a second of what the kernel says in /proc, on every Linux. */
  private static final double TICKS = 100;

  private final long start = System.nanoTime();
  private final double all = ofAll();
  private final double mine = ofMine();

  /** Cores that others had on average since this was made. */
  double cores() {
    double seconds = (System.nanoTime() - start) * 1e-9;
    return Math.max(0, (ofAll() - all - (ofMine() - mine)) / seconds);
  }

  /** User, nice, system, interrupts, and what the host took, of all processors. */
  private static double ofAll() {
    String[] fields = fields(Path.of("/proc/stat"), "\n", 0);
    return sum(fields, 1, 3) + sum(fields, 6, 8);
  }

  /** User and system, of this process and of children that have ended. */
  private static double ofMine() {
    String[] fields = fields(Path.of("/proc/self/stat"), "\\) ", 1);
    return sum(fields, 11, 14);
  }

  private static double sum(String[] fields, int first, int last) {
    double ticks = fields.length > last ? 0 : Double.NaN;
    for (int i = first; i <= last && i < fields.length; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return ticks / TICKS;
  }

  private static String[] fields(Path file, String separator, int part) {
    try {
      return Files.readString(file).split(separator, -1)[part].trim().split("\\s+");
    } catch (IOException e) {
      return new String[0];
    }
  }
}
