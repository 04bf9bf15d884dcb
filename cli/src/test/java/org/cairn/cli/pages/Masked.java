// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pages;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A line without what differs from run to run: times, durations, identities, tenths of sizes, sizes
 * of containers, and how wide a table becomes by them.
 */
final class Masked {
  private record Mask(Pattern pattern, String by) {
    static Mask of(String regex, String by) {
      return new Mask(Pattern.compile(regex), by);
    }
  }

  private static final List<Mask> MASKS =
      List.of(
          Mask.of("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z?", "TIME"),
          Mask.of("\\b([0-9a-f]{32}|[0-9a-f]{16}|[0-9a-f]{8})\\b", "ID"),
          Mask.of("\\b\\d+(\\.\\d+)? (ns|µs|ms|s|min)\\b", "DURATION"),
          Mask.of("\\b(\\d+)\\.\\d+ ([KMG]iB)\\b", "$1 $2"), // times have more or fewer bytes
          // Files grow by pages, for a byte more.
          Mask.of("(\\.cairn .*\\b\\d+ [KMG]iB) +\\d+ [KMG]iB$", "$1  SIZE"),
          Mask.of(" {2,}", "  "),
          Mask.of("─+", "─"));

  private Masked() {}

  static String of(String line) {
    String masked = line.stripTrailing();
    for (Mask mask : MASKS) {
      masked = mask.pattern.matcher(masked).replaceAll(mask.by);
    }
    return masked;
  }
}
