// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.answer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;

/**
 * A table of values: written with units and few digits for people, and with all digits and one unit
 * for machines. A cell is a number, a text, or {@code null} where there is nothing to say.
 */
public final class Sheet {
  /** What the numbers of a column are, and so how they are written. */
  public enum Kind {
    TEXT(""),
    /** Seconds. */
    TIME("Seconds"),
    /** Parts of a whole. */
    SHARE("Share"),
    COUNT(""),
    /** Any number. */
    NUMBER(""),
    /** How often something happens, which may be once in a million times. */
    CHANCE(""),
    BYTES("Bytes"),
    /** Bytes a second. */
    RATE("BytesPerSecond");

    private final String suffix;

    Kind(String suffix) {
      this.suffix = suffix;
    }

    /** The number as people read it. */
    public String format(double value) {
      if (Double.isNaN(value)) {
        return "-";
      }
      return switch (this) {
        case TEXT -> String.valueOf(value);
        case TIME -> Words.time(value);
        case SHARE -> Words.percent(value);
        case COUNT -> Words.count(value);
        case NUMBER -> Words.number(value);
        case CHANCE -> Words.chance(value);
        case BYTES -> Quantities.bytes((long) value);
        case RATE -> Words.rate(value);
      };
    }
  }

  private record Column(String name, Kind kind) {
    /** {@code wall time} of seconds becomes {@code wallTimeSeconds}. */
    String key() {
      StringBuilder key = new StringBuilder();
      for (String word : name.replaceAll("[^A-Za-z0-9 ]", "").strip().split(" +", -1)) {
        key.append(
            key.isEmpty()
                ? word.toLowerCase(Locale.ROOT)
                : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
      }
      return key + kind.suffix;
    }
  }

  /** Who reads a table. */
  private enum Readers {
    ALL,
    PEOPLE,
    MACHINES
  }

  private final String title;
  private Readers readers = Readers.ALL;
  private final List<Column> columns = new ArrayList<>();
  private final List<List<Object>> rows = new ArrayList<>();

  /** A table without columns yet. */
  public Sheet(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /** Not for machines, which have the same numbers elsewhere. */
  public Sheet forPeople() {
    readers = Readers.PEOPLE;
    return this;
  }

  /** Not for people: too long, and elsewhere in another form. */
  public Sheet forMachines() {
    readers = Readers.MACHINES;
    return this;
  }

  /** Whether it is printed and put on pages. */
  boolean isForPeople() {
    return readers != Readers.MACHINES && !isEmpty();
  }

  /** Whether it is part of CSV and JSON. */
  boolean isForMachines() {
    return readers != Readers.PEOPLE;
  }

  /** One more column. */
  public Sheet column(String name, Kind kind) {
    columns.add(new Column(name, kind));
    return this;
  }

  /** A row; NaN and the empty text stand for what is not known. */
  public Sheet row(Object... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + columns.size() + " columns");
    }
    rows.add(List.of(cells));
    return this;
  }

  /** A range that one trial alone does not tell is not known, rather than infinite. */
  public static double known(double halfWidth) {
    return Double.isInfinite(halfWidth) ? Double.NaN : halfWidth;
  }

  private boolean isEmpty() {
    return rows.isEmpty();
  }

  List<String> head() {
    return columns.stream().map(Column::name).toList();
  }

  /** The rows as people read them. */
  List<List<String>> texts() {
    return rows.stream().map(this::texts).toList();
  }

  private List<String> texts(List<Object> row) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      texts.add(
          row.get(i) instanceof Number number
              ? columns.get(i).kind().format(number.doubleValue())
              : row.get(i).toString());
    }
    return texts;
  }

  String toTable() {
    Table table =
        new Table(
            columns.stream()
                .map(c -> (c.kind() == Kind.TEXT ? "" : ">") + c.name())
                .toArray(String[]::new));
    texts().forEach(row -> table.row(row.toArray(String[]::new)));
    return table.toString();
  }

  String toCsv() {
    StringBuilder csv = new StringBuilder();
    csv.append(columns.stream().map(Column::key).collect(Collectors.joining(","))).append('\n');
    for (List<Object> row : rows) {
      csv.append(row.stream().map(Sheet::csvCell).collect(Collectors.joining(","))).append('\n');
    }
    return csv.toString();
  }

  private static String csvCell(Object cell) {
    String text = cell instanceof Number number ? plain(number) : cell.toString();
    boolean quote = text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return quote ? '"' + text.replace("\"", "\"\"") + '"' : text;
  }

  /** Neither NaN nor Infinity are numbers to most programs: the one is left out, the other huge. */
  private static String plain(Number number) {
    double value = number.doubleValue();
    return Double.isNaN(value) ? "" : Double.isInfinite(value) ? "inf" : number.toString();
  }

  List<Map<String, Object>> toJson() {
    return rows.stream().map(this::toJson).toList();
  }

  private Map<String, Object> toJson(List<Object> row) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      Object cell = row.get(i);
      boolean finite = !(cell instanceof Double d) || Double.isFinite(d);
      if (finite) {
        object.put(columns.get(i).key(), cell);
      } else if (Double.isInfinite((Double) cell)) {
        object.put(columns.get(i).key(), "infinite");
      }
    }
    return object;
  }
}
