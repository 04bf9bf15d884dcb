// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.List;
import java.util.regex.Pattern;

/** Pages as HTML that needs no other file, no network and no script. */
final class Html {
  private static final String CSS =
      """
      :root { color-scheme: light dark; --ink: #222; --faint: #595959; --paper: #f6f6f4;
        --card: #fff; --line: #d8d8d8; }
      @media (prefers-color-scheme: dark) {
        :root { --ink: #e8e8e6; --faint: #a8a8a8; --paper: #1c1d1f; --card: #27282b;
          --line: #44464a; } }
      body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem; background: var(--paper);
        color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
      h1 { font-size: 1.5rem; line-height: 1.25; }
      h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
      .chart { margin: 1.5rem 0; padding: .5rem; background: #fff; border: 1px solid var(--line);
        border-radius: 6px; }
      .chart svg { display: block; width: 100%; height: auto; }
      .table { overflow-x: auto; }
      table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
      th, td { padding: .3rem .8rem; border-bottom: 1px solid var(--line); text-align: left; }
      th { border-bottom-width: 2px; }
      .number { text-align: right; }
      pre { padding: .7rem 1rem; background: var(--card); border: 1px solid var(--line);
        border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
      footer { color: var(--faint); }
      @media print { body { max-width: none; background: #fff; color: #000; }
        .chart { border: 0; break-inside: avoid; } }
      """;

  private static final Pattern PARAGRAPH = Pattern.compile("\\R\\s*\\R");

  /** A number, perhaps with a unit: it is aligned with those above and below. */
  private static final Pattern NUMBER =
      Pattern.compile(
          "[-−+±~≈<>≤≥]?\\s?\\d[\\d.,eE+-]*(\\s?[±]\\s?[\\d.,]+)?\\s?(%|[a-zA-Z]{1,7})?");

  private Html() {}

  static String of(Page page) {
    StringBuilder html = new StringBuilder(1 << 16);
    String title = escape(page.title());
    html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<title>" + title + "</title>\n<style>\n" + CSS + "</style>\n</head>\n<body>\n")
        .append("<h1>" + title + "</h1>\n");
    PARAGRAPH
        .splitAsStream(page.answer().strip())
        .filter(p -> !p.isBlank())
        .forEach(p -> html.append("<p>" + escape(p.strip()) + "</p>\n"));
    for (int i = 0; i < page.charts().size(); i++) {
      String svg = Svg.of(page.charts().get(i), "chart" + (i + 1) + "-");
      html.append("<div class=\"chart\">" + svg + "</div>\n");
    }
    page.tables().forEach(table -> appendTable(html, table));
    if (!page.command().isBlank()) {
      html.append("<footer>\n<p>Made with</p>\n<pre>" + escape(page.command()) + "</pre>\n");
      html.append("</footer>\n");
    }
    return html.append("</body>\n</html>\n").toString();
  }

  private static void appendTable(StringBuilder html, Page.Table table) {
    boolean[] numbers = new boolean[table.head().size()];
    for (int column = 0; column < numbers.length; column++) {
      numbers[column] = isOfNumbers(table.rows(), column);
    }
    if (!table.title().isBlank()) {
      html.append("<h2>" + escape(table.title()) + "</h2>\n");
    }
    html.append("<div class=\"table\"><table>\n<thead>\n");
    appendRow(html, "th", table.head(), numbers);
    html.append("</thead>\n<tbody>\n");
    table.rows().forEach(row -> appendRow(html, "td", row, numbers));
    html.append("</tbody>\n</table></div>\n");
  }

  private static boolean isOfNumbers(List<List<String>> rows, int column) {
    return !rows.isEmpty()
        && rows.stream().map(row -> row.get(column).strip()).allMatch(Html::isNumber);
  }

  private static boolean isNumber(String cell) {
    return cell.isEmpty() || cell.equals("-") || cell.equals("–") || NUMBER.matcher(cell).matches();
  }

  private static void appendRow(
      StringBuilder html, String tag, List<String> cells, boolean[] numbers) {
    html.append("<tr>");
    for (int i = 0; i < cells.size(); i++) {
      String start = tag + (numbers[i] ? " class=\"number\"" : "");
      html.append("<" + start + ">" + escape(cells.get(i)) + "</" + tag + ">");
    }
    html.append("</tr>\n");
  }

  /** Text for between tags, and for attributes. */
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder();
    text.lines()
        .map(Pen::clean)
        .forEach(line -> escaped.append(escaped.isEmpty() ? "" : "\n").append(line));
    return escaped
        .toString()
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
