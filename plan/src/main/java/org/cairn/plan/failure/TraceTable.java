// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.nio.file.Path;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rows of a trace with the meaning that the header gives them; what may be in a file is said at
 * {@link TraceReader}.
 */
final class TraceTable {
  private static final int MISSING = -1;

  private final Path file;
  private final boolean lanl;
  private final int system;
  private final int time;
  private final int node;
  private final int nodes;
  private final int repair;
  private final int cause;
  private final Map<Cause, Integer> causes = new EnumMap<>(Cause.class);
  private final Map<String, List<Csv.Row>> systems = new HashMap<>();

  private TraceTable(Path file, List<String> header) {
    this.file = file;
    system = column(header, "system");
    int started = column(header, "prob started");
    lanl = system != MISSING && started != MISSING;
    time = lanl ? started : column(header, "time");
    node = column(header, lanl ? "nodenum" : "node");
    nodes = column(header, "nodes");
    repair = column(header, lanl ? "down time" : "repair");
    cause = lanl ? MISSING : column(header, "cause");
    for (Cause each : Cause.values()) {
      causes.put(each, lanl ? column(header, each.title()) : MISSING);
    }
    if (time == MISSING || (lanl && (node == MISSING || nodes == MISSING))) {
      throw new IllegalArgumentException(
          file
              + ", line 1: needs the columns System, nodes, nodenum and Prob Started, as LANL's"
              + " failure data has, or time and node; it has "
              + shortened(String.join(", ", header)));
    }
  }

  /** Some releases of the data add the form of the date to the name of its column. */
  private static int column(List<String> header, String name) {
    for (int i = 0; i < header.size(); i++) {
      String title = header.get(i).toLowerCase(Locale.ROOT);
      if (title.equals(name) || title.startsWith(name + " (")) {
        return i;
      }
    }
    return MISSING;
  }

  static TraceTable of(Path file) {
    List<Csv.Row> rows = Csv.rows(file, TraceText.of(file));
    if (rows.isEmpty()) {
      throw new IllegalArgumentException(
          file + " has blank lines only; a trace begins with a line of columns");
    }
    TraceTable table = new TraceTable(file, rows.getFirst().fields());
    rows.subList(1, rows.size()).forEach(table::add);
    if (table.systems.isEmpty()) {
      throw new IllegalArgumentException(file + " has no failures: only the header is there");
    }
    return table;
  }

  private void add(Csv.Row row) {
    int needed = lanl ? Math.max(Math.max(system, time), Math.max(node, nodes)) : time;
    if (row.fields().size() <= needed) {
      throw wrong(
          row,
          "%d fields, but at least %d are needed to reach the columns of a failure"
              .formatted(row.fields().size(), needed + 1));
    }
    String name = lanl ? row.fields().get(system) : fileName();
    if (name.isEmpty()) {
      throw wrong(row, "no system is named");
    }
    systems.computeIfAbsent(name, ignored -> new ArrayList<>()).add(row);
  }

  private String fileName() {
    Path name = file.getFileName();
    return name == null ? "trace" : name.toString().replaceFirst("(\\.csv)?(\\.gz)?$", "");
  }

  Path file() {
    return file;
  }

  /** The systems in the order of their names, each with its rows in the order of the file. */
  SortedMap<String, List<Csv.Row>> systems() {
    SortedMap<String, List<Csv.Row>> sorted = new TreeMap<>(NodeNumbers::compareNaturally);
    sorted.putAll(systems);
    return sorted;
  }

  /** What to call the trace of a system. */
  String title(String name) {
    return lanl ? "LANL system " + name : name;
  }

  /** The time as it is written; empty where it is blank. */
  String time(Csv.Row row) {
    return row.fields().get(time);
  }

  /** The name of the node; empty where it is blank. */
  String node(Csv.Row row) {
    return optional(row, node);
  }

  /** How many nodes the row says that there are, 0 where it does not. */
  int nodes(Csv.Row row) {
    String text = optional(row, nodes);
    if (text.isEmpty()) {
      return 0;
    }
    if (!text.matches("\\d{1,9}")) {
      throw wrong(row, "\"" + shortened(text) + "\" is not a number of nodes");
    }
    return Integer.parseInt(text);
  }

  /** Seconds until the node was back; NaN where the row does not say it. LANL has minutes. */
  double repair(Csv.Row row) {
    String text = optional(row, repair);
    if (text.isEmpty()) {
      return Double.NaN;
    }
    if (!text.matches("\\d{1,9}(\\.\\d{0,9})?")) {
      throw wrong(row, '"' + shortened(text) + "\" is not the time of a repair");
    }
    return Double.parseDouble(text) * (lanl ? 60 : 1);
  }

  /** LANL has a column for each cause, and something in that of the right one. */
  Cause cause(Csv.Row row) {
    if (!lanl) {
      return Cause.of(optional(row, cause));
    }
    List<Cause> named =
        causes.entrySet().stream()
            .filter(column -> !optional(row, column.getValue()).isEmpty())
            .map(Map.Entry::getKey)
            .toList();
    return named.size() == 1 ? named.getFirst() : Cause.UNDETERMINED;
  }

  private static String optional(Csv.Row row, int column) {
    return column == MISSING || column >= row.fields().size() ? "" : row.fields().get(column);
  }

  /** The times of rows in seconds since the earliest of them. */
  double[] seconds(List<Csv.Row> rows) {
    TraceTimes form = lanl ? TraceTimes.AMERICAN : form(rows.getFirst());
    double[] seconds = rows.stream().mapToDouble(row -> seconds(row, form)).toArray();
    double first = Arrays.stream(seconds).min().orElseThrow();
    return Arrays.stream(seconds).map(value -> value - first).toArray();
  }

  private TraceTimes form(Csv.Row row) {
    try {
      return TraceTimes.formOf(time(row));
    } catch (DateTimeParseException e) {
      throw wrongTime(row, "neither seconds nor a date such as 2026-01-31T12:00:00", e);
    }
  }

  private double seconds(Csv.Row row, TraceTimes form) {
    try {
      return form.parse(time(row));
    } catch (DateTimeParseException | NumberFormatException e) {
      throw wrongTime(row, "not " + form.form(), e);
    }
  }

  private IllegalArgumentException wrongTime(Csv.Row row, String what, RuntimeException cause) {
    IllegalArgumentException wrong = wrong(row, '"' + shortened(time(row)) + "\" is " + what);
    wrong.initCause(cause);
    return wrong;
  }

  private IllegalArgumentException wrong(Csv.Row row, String what) {
    return new IllegalArgumentException(file + ", line " + row.line() + ": " + what);
  }

  /** A text that is shown: what was meant to be a field may be a whole file. */
  private static String shortened(String text) {
    String line = text.replaceAll("\\p{Cntrl}", "?");
    return line.length() <= 80 ? line : line.substring(0, 80) + "…";
  }
}
