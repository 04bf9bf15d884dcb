// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pages;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.cairn.testkit.random.Thorough;

/**
 * Java of a page, as a source file that javac takes, with every line of the page on a line of its
 * own.
 *
 * <p>A snippet with a {@code main} is compiled as it is printed. Another one becomes the body of
 * one, below its imports; none are added, so that a reader sees all that he needs. What it speaks
 * of and does not declare is declared in a comment of HTML that ends on the line before it:
 *
 * <pre>{@code
 * <!-- java: run
 * prints nothing was restored
 * double[] u = new double[8];
 * void advance() {}
 * -->
 * }</pre>
 *
 * ({@code run slowly} is for the profile {@code kills}.) Its lines are members, but for {@code
 * prints}: what a snippet that is {@code run} has to print, and the page to show. One that is
 * {@code killed} ends as soon as it has printed that, and is started again; then it prints what
 * stands behind {@code again}. Lines of a snippet that have an ellipsis only are left out.
 *
 * @param page relative to the root of the repository
 * @param firstLine of the snippet in its page, from 1
 * @param note what the comment says; empty without one
 */
record Snippet(Path page, int firstLine, List<String> lines, List<String> note) {
  private static final Pattern MAIN = Pattern.compile("(static )?void main\\(.*");
  private static final Pattern ELLIPSIS = Pattern.compile("\\s*(…|\\.\\.\\.)\\s*");
  private static final String PRINTS = "prints ";
  private static final String AGAIN = "again ";
  private static final String IMPORT = "import ";

  /** Whether it is a program as it is printed. */
  boolean isWhole() {
    return lines.stream().anyMatch(line -> MAIN.matcher(line).matches());
  }

  /** Whether it is to be run until it ends; what takes long, and says so, where there is time. */
  boolean isRun() {
    String first = kind();
    return first.contains("run slowly")
        ? Boolean.getBoolean(Thorough.PROPERTY)
        : first.contains("run");
  }

  /** Whether it is to be killed, and started again. */
  boolean isKilled() {
    return kind().contains("killed");
  }

  private String kind() {
    return note.isEmpty() ? "" : note.getFirst();
  }

  /** What it has to print. */
  List<String> prints() {
    return noted(PRINTS);
  }

  /** What it has to print after it was killed. */
  List<String> printsAgain() {
    return noted(AGAIN);
  }

  private List<String> noted(String word) {
    return note.stream()
        .filter(line -> line.startsWith(word))
        .map(line -> line.substring(word.length()).strip())
        .toList();
  }

  private List<String> members() {
    return note.stream()
        .skip(1)
        .filter(line -> Stream.of(PRINTS, AGAIN, IMPORT).noneMatch(line::startsWith))
        .toList();
  }

  /** Of a table, which has no room for them. */
  private String hiddenImports() {
    return note.stream().filter(line -> line.startsWith(IMPORT)).collect(Collectors.joining());
  }

  /** A name for the class that becomes of it. */
  String className() {
    return page.toString().replaceAll("[^A-Za-z0-9]", "_") + "_" + firstLine;
  }

  /** Where line {@code line} of {@link #source} is. */
  String place(long line) {
    return line <= lines.size()
        ? page + ":" + (firstLine + line - 1)
        : page + ", in the comment before line " + firstLine;
  }

  String source() {
    List<String> source = new ArrayList<>();
    for (String line : lines) {
      source.add(ELLIPSIS.matcher(line).matches() ? "" : line);
    }
    if (!isWhole()) {
      wrap(source);
    }
    return String.join("\n", source) + "\n";
  }

  /** Into a class that sees what a file without a class does. */
  private void wrap(List<String> source) {
    int body = firstOfBody();
    String begin = "class " + className() + " { void main() throws Exception { ";
    source.set(body, begin + source.get(body));
    source.set(0, "import module java.base;" + hiddenImports() + source.getFirst());
    source.add("}");
    source.addAll(members());
    source.add("}");
  }

  private int firstOfBody() {
    int line = 0;
    while (lines.get(line).isBlank() || lines.get(line).startsWith(IMPORT)) {
      line++;
    }
    return line;
  }

  @Override
  public String toString() {
    return page + ":" + firstLine;
  }
}
