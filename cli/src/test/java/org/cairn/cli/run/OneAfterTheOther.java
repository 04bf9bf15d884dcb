// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.cli.Main;
import org.cairn.cli.terminal.Terminal;

/**
 * Several commands in one JVM, each behind a line that names it and before one with its exit code.
 */
public final class OneAfterTheOther {
  private static final String BEGIN = "begin ";
  private static final String END = "exit code ";
  private static final Pattern ENDED =
      Pattern.compile("(?s)" + BEGIN + "(\\S+)\n(.*?)" + END + "(\\d+)\n");

  private OneAfterTheOther() {}

  /** What a command printed, to both streams if they are one. */
  public record Ended(String name, String output, int exitCode) {}

  /** An argument of {@link #main}. */
  public static String command(String name, List<String> words) {
    return name + "\t" + String.join("\t", words);
  }

  /** Finds the commands in what was printed. */
  public static List<Ended> read(String all) {
    List<Ended> ended = new ArrayList<>();
    Matcher matcher = ENDED.matcher(all);
    while (matcher.find()) {
      ended.add(new Ended(matcher.group(1), matcher.group(2), Integer.parseInt(matcher.group(3))));
    }
    return ended;
  }

  /**
   * Runs them.
   *
   * @param commands each one made by {@link #command}
   */
  public static void main(String[] commands) {
    for (String command : commands) {
      List<String> words = List.of(command.split("\t"));
      System.out.println(BEGIN + words.getFirst());
      int exitCode =
          Main.run(Terminal.standard(), words.subList(1, words.size()).toArray(String[]::new));
      System.out.println(END + exitCode);
    }
  }
}
