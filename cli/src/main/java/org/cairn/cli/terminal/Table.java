// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/**
 * A table for people: columns as wide as their contents, two spaces apart, a rule under the head.
 *
 * <pre>{@code
 * new Table("dataset", ">size").row("u", "8.00 MiB").row("step", "8 B").toString()
 *
 * dataset      size
 * ─────────────────
 * u        8.00 MiB
 * step          8 B
 * }</pre>
 */
public final class Table {
  private static final String GAP = "  ";

  private final List<String> head;
  private final boolean[] right;
  private final List<List<String>> rows = new ArrayList<>();

  /** A table with these columns; a heading that begins with {@code >} is set flush right. */
  public Table(String... headings) {
    head = new ArrayList<>();
    right = new boolean[headings.length];
    for (int i = 0; i < headings.length; i++) {
      right[i] = headings[i].startsWith(">");
      head.add(right[i] ? headings[i].substring(1) : headings[i]);
    }
  }

  /** Adds a row; it must have a cell for each column. */
  public Table row(String... cells) {
    if (cells.length != head.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + head.size() + " columns: " + List.of(cells));
    }
    rows.add(List.of(cells));
    return this;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The table, with a line end after each row. */
  @Override
  public String toString() {
    int[] widths = widths();
    StringBuilder text = new StringBuilder();
    append(text, head, widths);
    int total = GAP.length() * (widths.length - 1);
    for (int width : widths) {
      total += width;
    }
    text.append("─".repeat(total)).append('\n');
    rows.forEach(row -> append(text, row, widths));
    return text.toString();
  }

  /**
   * The table, or, if its lines would be longer than so many characters, each row on lines of its
   * own, a column each.
   */
  public String toString(int columns) {
    String table = toString();
    boolean fits = table.lines().allMatch(line -> length(line) <= columns);
    return fits || rows.isEmpty() ? table : onItsSide(columns);
  }

  private String onItsSide(int columns) {
    int width = head.stream().mapToInt(Table::length).max().orElse(0);
    String indent = " ".repeat(width) + GAP;
    String rule = "─".repeat(Math.min(columns, 2 * width));
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      for (int i = 0; i < head.size(); i++) {
        String name = head.get(i) + " ".repeat(width - length(head.get(i)));
        if (!row.get(i).isEmpty()) {
          text.append(Text.wrap(name + GAP + row.get(i), columns, indent)).append('\n');
        }
      }
      text.append(rule).append('\n');
    }
    return text.toString();
  }

  private int[] widths() {
    int[] widths = new int[head.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = length(head.get(i));
      for (List<String> row : rows) {
        widths[i] = Math.max(widths[i], length(row.get(i)));
      }
    }
    return widths;
  }

  private void append(StringBuilder text, List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - length(cells.get(i)));
      line.append(i == 0 ? "" : GAP)
          .append(right[i] ? padding : "")
          .append(cells.get(i))
          .append(right[i] ? "" : padding);
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }

  private static int length(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
