// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Pages as HTML that needs no other file, no network and no script. Each chart is there twice, for
 * wide windows and for phones; the style sheet shows one of them, in the colours of the page.
 */
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
      .chart .narrow { display: none; }
      .at .hit { fill: transparent; stroke: none; }
      .at .tip { display: none; pointer-events: none; }
      .at:hover .tip { display: block; }
      .tip .paper { fill: #fff; fill-opacity: .94; stroke: #c4c4c4; }
      .tip line { stroke: #444; }
      .tip text { fill: #222; stroke: none; font: 11px 'DejaVu Sans', Verdana, Geneva, sans-serif; }
      @media (max-width: 640px) {
        body { padding: 1rem .6rem; }
        .chart { padding: .2rem; margin: 1rem 0; }
        .chart .wide { display: none; }
        .chart .narrow { display: block; }
        th, td { padding: .3rem .5rem; } }
      .table { overflow-x: auto; }
      table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
      th, td { padding: .3rem .8rem; border-bottom: 1px solid var(--line); text-align: left; }
      th { border-bottom-width: 2px; }
      .number { text-align: right; }
      .option { white-space: nowrap; }
      pre { padding: .7rem 1rem; background: var(--card); border: 1px solid var(--line);
        border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
      footer { color: var(--faint); }
      DARK
      @media print { body { max-width: none; background: #fff; color: #000; }
        .chart { border: 0; break-inside: avoid; } }
      """;

  private static final Pattern PARAGRAPH = Pattern.compile("\\R\\s*\\R");

  /** A number, perhaps with a unit: it is aligned with those above and below. */
  private static final Pattern NUMBER =
      Pattern.compile(
          "[-−+±~≈<>≤≥]?\\s?\\d[\\d.,eE+-]*(\\s?[±]\\s?[\\d.,]+)?\\s?(%|[a-zA-Z]{1,7})?");

  /** Of a command. A browser would break it between its hyphens. */
  private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*");

  private Html() {}

  /**
   * Pictures have their colours as attributes, so that they are right wherever they are shown; a
   * dark page has rules for each of them.
   */
  private static String css() {
    StringBuilder dark = new StringBuilder("@media screen and (prefers-color-scheme: dark) {\n");
    dark.append("  .chart { background: var(--card); }\n")
        .append("  .tip .paper { fill: #1c1d1f; stroke: #6a6c70; }\n")
        .append("  .tip line { stroke: #c8c8c8; }\n  .tip text { fill: #e8e8e6; }\n");
    Palette.onDark()
        .forEach(
            (light, dim) -> {
              for (String property : List.of("fill", "stroke")) {
                for (String name : names(light)) {
                  dark.append(
                      "  .chart svg [%1$s='%2$s'] { %1$s: %3$s; }%n"
                          .formatted(property, name, hex(dim)));
                }
              }
            });
    return CSS.replace("DARK\n", dark.append("}\n"));
  }

  /** As Batik writes a colour. */
  private static List<String> names(int rgb) {
    String numbers = "rgb(%d,%d,%d)".formatted(rgb >> 16 & 0xff, rgb >> 8 & 0xff, rgb & 0xff);
    return switch (rgb) {
      case 0x000000 -> List.of("black", numbers);
      case 0xffffff -> List.of("white", numbers);
      default -> List.of(numbers);
    };
  }

  private static String hex(int rgb) {
    return "#%06x".formatted(rgb);
  }

  static String of(Page page) {
    StringBuilder html = new StringBuilder(1 << 16);
    String title = escape(page.title());
    html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<title>" + title + "</title>\n<style>\n" + css() + "</style>\n</head>\n<body>\n")
        .append("<h1>" + title + "</h1>\n");
    PARAGRAPH
        .splitAsStream(page.answer().strip())
        .filter(p -> !p.isBlank())
        .forEach(p -> html.append("<p>" + whole(p.strip()) + "</p>\n"));
    for (int i = 0; i < page.charts().size(); i++) {
      Chart chart = page.charts().get(i);
      String id = "chart" + (i + 1);
      html.append("<div class=\"chart\"><div class=\"wide\">")
          .append(Svg.forPage(chart, id + "-", Layout.WIDTH))
          .append("</div><div class=\"narrow\">")
          .append(Svg.forPage(chart, id + "n-", Layout.NARROW))
          .append("</div></div>\n");
    }
    page.tables().forEach(table -> appendTable(html, table));
    if (!page.command().isBlank()) {
      html.append(
          "<footer>\n<p>Made with</p>\n<pre>" + options(escape(page.command())) + "</pre>\n");
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
      html.append("<" + start + ">" + whole(cells.get(i)) + "</" + tag + ">");
    }
    html.append("</tr>\n");
  }

  /** Text for between tags that is not broken where nobody would. */
  private static String whole(String text) {
    return options(Glue.glued(escape(text)));
  }

  private static String options(String escaped) {
    return OPTION.matcher(escaped).replaceAll("<span class=\"option\">$0</span>");
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
