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
 * for machines. A cell is a number, a {@link Quantity}, {@link Numbers} or a text; what is not
 * known is NaN or empty, and left out for machines. What has no bound is {@code null} in JSON,
 * which has no number for it.
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

    /** The unit of the numbers for machines. */
    public String unit() {
      return suffix.isEmpty()
          ? ""
          : suffix.substring(0, 1).toLowerCase(Locale.ROOT) + suffix.substring(1);
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

  /** Who reads a column: what people see in two units, machines need once. */
  private enum Reader {
    ALL,
    PEOPLE,
    MACHINES
  }

  /** A number with a unit of its own, in a column whose rows have several. */
  public record Quantity(double value, Kind kind) {
    @Override
    public String toString() {
      return kind.format(value);
    }
  }

  /** Several numbers in one cell: for people joined by a text, for machines a list. */
  public record Numbers(List<? extends Number> values, String joint, String format) {
    @Override
    public String toString() {
      return values.stream()
          .map(value -> String.format(Locale.ROOT, format, value))
          .collect(Collectors.joining(joint));
    }
  }

  private record Column(String name, Kind kind, Reader reader) {
    /** {@code wall time} of seconds becomes {@code wallTimeSeconds}. */
    String key() {
      return camelCase(name) + kind.suffix;
    }

    boolean isFor(Reader who) {
      return reader == Reader.ALL || reader == who;
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
  private final String key;
  private final List<Column> columns = new ArrayList<>();
  private final List<List<Object>> rows = new ArrayList<>();

  /** A table whose title is short enough to be its name for machines too. */
  public Sheet(String title) {
    this(title, title.toLowerCase(Locale.ROOT));
  }

  /** A table with a name for machines. */
  public Sheet(String title, String key) {
    this.title = title;
    this.key = camelCase(key);
  }

  /** {@code wall time} becomes {@code wallTime}. */
  private static String camelCase(String name) {
    StringBuilder key = new StringBuilder();
    for (String word : name.replaceAll("[^A-Za-z0-9 ]", "").strip().split(" +", -1)) {
      key.append(
          key.isEmpty()
              ? word.toLowerCase(Locale.ROOT)
              : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    return key.toString();
  }

  /** What machines call it. */
  String key() {
    return key;
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
    columns.add(new Column(name, kind, Reader.ALL));
    return this;
  }

  /** The value of another column in a unit that people want beside it. */
  public Sheet columnForPeople(String name, Kind kind) {
    columns.add(new Column(name, kind, Reader.PEOPLE));
    return this;
  }

  /** What people see from the other cells. */
  public Sheet columnForMachines(String name, Kind kind) {
    columns.add(new Column(name, kind, Reader.MACHINES));
    return this;
  }

  /** A row, with a cell for each column. */
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

  boolean isEmpty() {
    return rows.isEmpty();
  }

  List<String> head() {
    return columns.stream().filter(c -> c.isFor(Reader.PEOPLE)).map(Column::name).toList();
  }

  /** The rows as people read them. */
  List<List<String>> texts() {
    return rows.stream().map(this::texts).toList();
  }

  private List<String> texts(List<Object> row) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      if (column.isFor(Reader.PEOPLE)) {
        texts.add(
            row.get(i) instanceof Number number
                ? column.kind().format(number.doubleValue())
                : row.get(i).toString());
      }
    }
    return texts;
  }

  Table toTable() {
    Table table =
        new Table(
            columns.stream()
                .filter(c -> c.isFor(Reader.PEOPLE))
                .map(c -> (c.kind() == Kind.TEXT ? "" : ">") + c.name())
                .toArray(String[]::new));
    texts().forEach(row -> table.row(row.toArray(String[]::new)));
    return table;
  }

  String toCsv() {
    StringBuilder csv = new StringBuilder();
    csv.append(
            columns.stream()
                .filter(c -> c.isFor(Reader.MACHINES))
                .map(Column::key)
                .collect(Collectors.joining(",")))
        .append('\n');
    for (List<Object> row : rows) {
      List<String> cells = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        if (columns.get(i).isFor(Reader.MACHINES)) {
          cells.add(csvCell(whole(columns.get(i), row.get(i))));
        }
      }
      csv.append(String.join(",", cells)).append('\n');
    }
    return csv.toString();
  }

  private static String csvCell(Object cell) {
    String text =
        switch (cell) {
          case Number number -> plain(number);
          case Quantity quantity -> plain(quantity.value());
          default -> cell.toString();
        };
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
      if (columns.get(i).isFor(Reader.MACHINES)) {
        put(object, columns.get(i).key(), whole(columns.get(i), row.get(i)));
      }
    }
    return object;
  }

  /** What is counted is written as a whole number, if it is one. */
  private static Object whole(Column column, Object cell) {
    return column.kind() == Kind.COUNT
            && cell instanceof Double number
            && number == Math.rint(number)
            && Math.abs(number) < 1L << 53
        ? (Object) number.longValue()
        : cell;
  }

  private static void put(Map<String, Object> object, String key, Object cell) {
    switch (cell) {
      case Double number when Double.isNaN(number) -> {}
      case Double number when Double.isInfinite(number) -> object.put(key, null);
      case Quantity quantity -> put(object, key, quantity.value());
      case Numbers numbers -> object.put(key, numbers.values());
      case String text when text.isEmpty() -> {}
      default -> object.put(key, cell);
    }
  }
}
