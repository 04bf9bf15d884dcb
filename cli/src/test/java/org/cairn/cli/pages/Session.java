// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pages;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.cairn.testkit.random.Thorough;

/**
 * A command that a page shows behind a {@code $}, and what it shows of its output. A line with an
 * ellipsis stands for any number of lines.
 *
 * <p>Blocks with a comment of HTML on the line before are run, those of a page in order and in one
 * directory. What they need besides what was run before stands in it, as commands that readers do
 * not see:
 *
 * <pre>{@code
 * <!-- session
 * ./cairn run examples/Wave.java
 * -->
 * }</pre>
 *
 * ({@code session slowly} is for the profile {@code kills}, {@code session after the programs} for
 * what those of the page leave.) All of the output is shown, or none; of a {@code session that may
 * go on} there may be more. An ellipsis inside of a line stands for anything without a space. Where
 * most of an output is another one each time, lines of the comment that begin with {@code prints}
 * say what has to be in it, in order, and on the page. A {@code session that fails} ends with an
 * exit code that is not 0.
 *
 * @param line where it is, from 1
 * @param command without the {@code $}, on one line
 * @param note what the comment says, but for the first of a block only its first line; empty
 *     without one
 */
record Session(Path page, int line, String command, List<String> output, List<String> note) {
  private static final String PROMPT = "$ ";
  private static final String FENCE = "```";
  private static final String NOTE = "<!-- session";
  private static final String PRINTS = "prints ";
  private static final Pattern ELLIPSIS = Pattern.compile("\\s*(…|\\.\\.\\.)\\s*");
  private static final Pattern CAIRN = Pattern.compile("(\\./)?cairn ");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  /** All of a page. */
  static List<Session> of(Page page) {
    List<Session> sessions = new ArrayList<>();
    List<String> lines = page.lines();
    List<String> note = List.of();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith(FENCE)) {
        note = page.noteBefore(i, NOTE);
      } else if (lines.get(i).startsWith(PROMPT)) {
        sessions.add(at(page, i, note));
        note = note.subList(0, Math.min(1, note.size())); // the first has prepared it for all
      }
    }
    return sessions;
  }

  private static Session at(Page page, int start, List<String> note) {
    List<String> lines = page.lines();
    StringBuilder command = new StringBuilder(lines.get(start).substring(PROMPT.length()));
    int next = start + 1;
    while (command.charAt(command.length() - 1) == '\\') {
      command.setLength(command.length() - 1);
      command.append(lines.get(next++).strip());
    }
    List<String> output = new ArrayList<>();
    while (!lines.get(next).startsWith(PROMPT) && !lines.get(next).startsWith(FENCE)) {
      output.add(lines.get(next++));
    }
    return new Session(
        page.name(), start + 1, command.toString().replaceAll("\\s+#.*", ""), output, note);
  }

  /** Whether it is to be run where it stands; what takes long, and says so, where there is time. */
  boolean isRun() {
    if (note.isEmpty() || !CAIRN.matcher(command).lookingAt()) {
      return false;
    }
    return !note.getFirst().contains("slowly") || Boolean.getBoolean(Thorough.PROPERTY);
  }

  /** Whether it speaks of what programs of its page leave. */
  boolean isAfterPrograms() {
    return !note.isEmpty() && note.getFirst().contains("after the programs");
  }

  /** What has to be run before it. */
  List<List<String>> preparations() {
    return note.stream()
        .filter(line -> CAIRN.matcher(line).lookingAt())
        .map(Session::words)
        .toList();
  }

  /** What follows {@code ./cairn}. */
  List<String> words() {
    return words(command);
  }

  private static List<String> words(String command) {
    return WORD.matcher(command)
        .results()
        .skip(1)
        .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
        .toList();
  }

  /** What is in the output, in order, whatever else is; empty if all of it is compared. */
  List<String> printed() {
    return note.stream()
        .filter(line -> line.startsWith(PRINTS))
        .map(line -> Masked.of(line.substring(PRINTS.length())))
        .toList();
  }

  /** Whether it is shown to fail. */
  boolean fails() {
    if (!note.isEmpty() && note.getFirst().contains("that fails")) {
      return true;
    }
    return !output.isEmpty() && output.getFirst().startsWith("cairn " + words().getFirst() + ": ");
  }

  /** What an output has to look like to begin with what is shown. */
  Pattern expected() {
    return Pattern.compile(lines() + "(.*\n)*");
  }

  /**
   * What an output has to look like to be what is shown, {@linkplain Masked but for some of it}.
   */
  Pattern expectedMasked() {
    if (!printed().isEmpty()) {
      String all = printed().stream().map(Pattern::quote).collect(Collectors.joining("(?s:.*)"));
      return Pattern.compile("(?s:.*)" + all + "(?s:.*)");
    }
    boolean mayGoOn = output.isEmpty() || note.getFirst().contains("may go on");
    return Pattern.compile(masked().lines() + (mayGoOn ? "(.*\n)*" : ""));
  }

  /** What is shown of it, as it is compared. */
  String shown() {
    return output.stream().map(line -> Masked.of(line) + "\n").collect(Collectors.joining());
  }

  private Session masked() {
    return new Session(page, line, command, output.stream().map(Masked::of).toList(), note);
  }

  private String lines() {
    return output.stream()
        .map(text -> ELLIPSIS.matcher(text).matches() ? "(.*\n)*" : quoted(text) + " *\n")
        .collect(Collectors.joining());
  }

  private static String quoted(String line) {
    return Arrays.stream(line.split("…", -1))
        .map(Pattern::quote)
        .collect(Collectors.joining("\\S*"));
  }

  @Override
  public String toString() {
    return page + ":" + line + ": " + command;
  }
}
