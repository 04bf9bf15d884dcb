// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of Markdown.
 *
 * @param name relative to the root of the repository
 */
record Page(Path name, List<String> lines) {
  private static final Path ROOT = Path.of("..");
  private static final String NOTE = "<!-- java:";
  private static final String TABLE = NOTE + " table";
  private static final String FENCE = "```";

  /** In the second column of a table, what stands first as code. */
  private static final Pattern CELL = Pattern.compile("\\| [^|]* \\| `([^`]*)`.*");

  /** The README, and all pages below {@code docs}. */
  static List<Page> all() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      List<Page> pages = new ArrayList<>();
      for (Path file :
          Stream.concat(Stream.of(ROOT.resolve("README.md")), files.sorted())
              .filter(file -> file.toString().endsWith(".md"))
              .toList()) {
        pages.add(new Page(ROOT.relativize(file), Files.readAllLines(file)));
      }
      return pages;
    }
  }

  /** Whether readers see a text: comments do not count. */
  boolean shows(String text) {
    return String.join("\n", lines).replaceAll("(?s)<!--.*?-->", "").contains(text);
  }

  /** What is between fences that say java. */
  List<Snippet> snippets() {
    List<Snippet> snippets = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).equals(FENCE + "java")) {
        int end = i + 1 + lines.subList(i + 1, lines.size()).indexOf(FENCE);
        snippets.add(new Snippet(name, i + 2, lines.subList(i + 1, end), noteBefore(i, NOTE)));
      }
    }
    return snippets;
  }

  /**
   * The comment that ends on the line before one, without its last line if that has nothing else;
   * empty if it does not begin so.
   */
  List<String> noteBefore(int line, String beginning) {
    if (line == 0 || !lines.get(line - 1).endsWith("-->")) {
      return List.of();
    }
    int begin = line - 1;
    while (!lines.get(begin).startsWith("<!--")) {
      begin--;
    }
    boolean ours = lines.get(begin).startsWith(beginning);
    return ours ? lines.subList(begin, Math.max(begin + 1, line - 1)) : List.of();
  }

  /** Tables whose second column is code, each as a snippet of a line for each row. */
  List<Snippet> tables() {
    List<Snippet> tables = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith(TABLE)) {
        int table = i + lines.subList(i, lines.size()).indexOf("-->") + 1;
        tables.add(new Snippet(name, table + 1, rows(table), lines.subList(i, table - 1)));
      }
    }
    return tables;
  }

  private List<String> rows(int first) {
    List<String> rows = new ArrayList<>();
    for (int i = first; i < lines.size() && lines.get(i).startsWith("|"); i++) {
      Matcher cell = CELL.matcher(lines.get(i));
      rows.add(i > first + 1 && cell.matches() ? statement(cell.group(1)) : "");
    }
    return rows;
  }

  /** Each in a block of its own; what is annotated in a class, where fields are. */
  private static String statement(String code) {
    String ended = code.endsWith(";") || code.endsWith("}") ? code : code + ";";
    return code.startsWith("@") ? "{ class Fields { " + ended + " } }" : "{ " + ended + " }";
  }
}
