// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pages;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A command that a page shows behind a {@code $}, and what it shows of its output. A line with an
 * ellipsis stands for any number of lines, and so does the end.
 *
 * @param line where it is, from 1
 * @param command without the {@code $}, on one line
 */
record Session(Path page, int line, String command, List<String> output) {
  private static final String PROMPT = "$ ";
  private static final Pattern ELLIPSIS = Pattern.compile("\\s*(…|\\.\\.\\.)\\s*");

  /** All of a page. */
  static List<Session> of(Page page) {
    List<Session> sessions = new ArrayList<>();
    List<String> lines = page.lines();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith(PROMPT)) {
        sessions.add(at(page, i));
      }
    }
    return sessions;
  }

  private static Session at(Page page, int start) {
    List<String> lines = page.lines();
    StringBuilder command = new StringBuilder(lines.get(start).substring(PROMPT.length()));
    int next = start + 1;
    while (command.charAt(command.length() - 1) == '\\') {
      command.setLength(command.length() - 1);
      command.append(lines.get(next++).strip());
    }
    List<String> output = new ArrayList<>();
    while (!lines.get(next).startsWith(PROMPT) && !lines.get(next).startsWith("```")) {
      output.add(lines.get(next++));
    }
    return new Session(
        page.name(), start + 1, command.toString().replaceAll("\\s+#.*", ""), output);
  }

  /** What follows {@code ./cairn}. */
  List<String> words() {
    List<String> words = List.of(command.split("\\s+"));
    return words.subList(1, words.size());
  }

  /** What an output has to look like to be the one that is shown. */
  Pattern expected() {
    String lines =
        output.stream()
            .map(
                text -> ELLIPSIS.matcher(text).matches() ? "(.*\n)*" : Pattern.quote(text) + " *\n")
            .collect(Collectors.joining());
    return Pattern.compile(lines + "(.*\n)*");
  }

  @Override
  public String toString() {
    return page + ":" + line + ": " + command;
  }
}
