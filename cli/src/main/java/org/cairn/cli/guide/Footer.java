// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.guide;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.cairn.cli.terminal.Text;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The end of a help, with its examples. Lines that are too long go on where their explanation
 * began, commands after a backslash, so that they can be copied as they are printed.
 */
public final class Footer implements IHelpSectionRenderer {
  private static final Pattern EXPLAINED = Pattern.compile("( +(?:cairn |--).*?\\S {2,})(\\S.*)");
  private static final String CONTINUED = " \\";
  private static final String FURTHER = " ".repeat(6);
  private static final int LEAST_EXPLANATION = 16;

  private Footer() {}

  /** Has the help of a command and of all below it end so. */
  public static void use(CommandLine line) {
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, new Footer());
    line.getSubcommands().values().forEach(Footer::use);
  }

  @Override
  public String render(Help help) {
    UsageMessageSpec message = help.commandSpec().usageMessage();
    return Stream.of(message.footer())
        .map(line -> line(String.format(line), message.width()) + System.lineSeparator())
        .collect(Collectors.joining());
  }

  /** A line on lines of at most so many characters. */
  static String line(String line, int columns) {
    if (line.length() <= columns) {
      return line;
    }
    Matcher explained = EXPLAINED.matcher(line);
    if (explained.matches()) {
      return explained(explained.group(1), explained.group(2), columns);
    }
    String start = " ".repeat(line.length() - line.stripLeading().length());
    boolean command = line.startsWith("cairn ", start.length()) || start.equals(FURTHER);
    return command ? command(line, columns) : Text.wrap(line, columns, start);
  }

  private static String explained(String command, String explanation, int columns) {
    int room = columns - command.length();
    if (room >= LEAST_EXPLANATION) {
      return Text.wrap(command + explanation, columns, " ".repeat(command.length()));
    }
    return command(command.stripTrailing(), columns)
        + System.lineSeparator()
        + Text.wrap(FURTHER + explanation, columns, FURTHER);
  }

  private static String command(String line, int columns) {
    List<String> lines = new ArrayList<>();
    String rest = line;
    while (rest.length() > columns) {
      int most = columns - CONTINUED.length();
      int option = rest.lastIndexOf(" -", most);
      int space = option > columns / 2 ? option : rest.lastIndexOf(' ', most);
      if (rest.substring(0, Math.max(space, 0)).isBlank()) {
        break; // one word
      }
      lines.add(rest.substring(0, space) + CONTINUED);
      rest = FURTHER + rest.substring(space + 1);
    }
    lines.add(rest);
    return String.join(System.lineSeparator(), lines);
  }
}
