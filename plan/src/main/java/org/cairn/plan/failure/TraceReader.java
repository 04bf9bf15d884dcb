// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads what failed on real machines.
 *
 * <p>File → Header Row*, as CSV in UTF-8, plain or gzipped. The header says which of two kinds it
 * is; columns are found by their names there, in any order and among others.
 *
 * <ul>
 *   <li>The failure data of LANL (LA-UR-05-7318), with many systems: {@code System}, {@code nodes},
 *       {@code nodenum}, {@code Prob Started} as month/day/year hour:minute. Used where they are
 *       there: {@code Down Time} in minutes, and a column for each {@link Cause}.
 *   <li>Other traces: {@code time}, in seconds or as an ISO date with or without a zone but all
 *       alike, {@code node}, any text or missing, and {@code nodes}, which may be missing too, as
 *       may {@code repair}, in seconds, and {@code cause}, as {@link Cause} calls them. The file is
 *       one system, called as the file is.
 * </ul>
 *
 * <p>Times become seconds since the first failure. Nodes are numbered from 0 as {@code NodeNumbers}
 * says: numbers that fit the machine are kept, others are made dense.
 *
 * <p>A row without a time is left out and counted, see {@link Reading#skipped}: that something
 * failed on an unknown day must not make the rest useless, and must not go unseen. Anything else
 * that cannot be read ends the reading with an {@link IllegalArgumentException} that names file,
 * line and text. Dates of systems that nobody asked for are not looked at.
 */
public final class TraceReader {
  private TraceReader() {}

  /**
   * A trace and what is to be known of its reading.
   *
   * @param trace the failures
   * @param skipped rows left out because they have no time
   * @param unnamed failures whose node is not known; they share one node
   */
  public record Reading(Trace trace, int skipped, int unnamed) {}

  /** The traces of all systems that have at least one failure. */
  public static List<Trace> read(Path file) {
    return readings(file).stream().map(Reading::trace).toList();
  }

  /** The trace of one system. */
  public static Trace read(Path file, String system) {
    return reading(file, system).trace();
  }

  /** The names of all systems, in order. */
  public static List<String> systems(Path file) {
    return List.copyOf(TraceTable.of(file).systems().keySet());
  }

  /** The traces of all systems that have at least one failure, and what was left out of them. */
  public static List<Reading> readings(Path file) {
    TraceTable table = TraceTable.of(file);
    List<Reading> readings = new ArrayList<>();
    for (Map.Entry<String, List<Csv.Row>> system : table.systems().entrySet()) {
      if (system.getValue().stream().anyMatch(row -> !table.time(row).isEmpty())) {
        readings.add(reading(table, system.getKey(), system.getValue()));
      }
    }
    if (readings.isEmpty()) {
      throw new IllegalArgumentException(file + " has no failures: no row has a time");
    }
    return readings;
  }

  /** The trace of one system, and what was left out of it. */
  public static Reading reading(Path file, String system) {
    TraceTable table = TraceTable.of(file);
    List<Csv.Row> rows = table.systems().get(system.strip());
    if (rows == null) {
      throw new IllegalArgumentException(
          "%s has no system \"%s\"; it has %s"
              .formatted(file, system, String.join(", ", table.systems().keySet())));
    }
    return reading(table, system.strip(), rows);
  }

  private static Reading reading(TraceTable table, String system, List<Csv.Row> rows) {
    List<Csv.Row> timed = rows.stream().filter(row -> !table.time(row).isEmpty()).toList();
    if (timed.isEmpty()) {
      throw new IllegalArgumentException(
          "%s: system %s has no failures: none of its %d rows has a time"
              .formatted(table.file(), system, rows.size()));
    }
    int declared = timed.stream().mapToInt(table::nodes).max().orElse(0);
    List<String> names = timed.stream().map(table::node).toList();
    NodeNumbers numbers = new NodeNumbers(names, declared);
    double[] times = table.seconds(timed);
    List<Failure> failures = new ArrayList<>(times.length);
    for (int i = 0; i < times.length; i++) {
      Csv.Row row = timed.get(i);
      failures.add(
          new Failure(times[i], numbers.of(names.get(i)), table.repair(row), table.cause(row)));
    }
    int unnamed = (int) names.stream().filter(String::isEmpty).count();
    Trace trace = new Trace(table.title(system), numbers.nodes(), failures);
    return new Reading(trace, rows.size() - timed.size(), unnamed);
  }
}
