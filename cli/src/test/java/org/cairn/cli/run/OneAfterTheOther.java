// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import java.util.List;
import org.cairn.cli.Main;
import org.cairn.cli.terminal.Terminal;

/**
 * Several commands in one JVM, each behind a line that names it and before one with its exit code.
 */
final class OneAfterTheOther {
  static final String BEGIN = "begin ";
  static final String END = "exit code ";

  private OneAfterTheOther() {}

  /**
   * Runs them.
   *
   * @param commands each one argument, its words divided by tabs
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
