// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.guide;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code cairn help}. */
@Command(
    name = "help",
    description = {"Shows the help of a command, as --help does.", ""},
    footer = {"", "Examples:", "  cairn help verify", "  cairn help plan interval"})
public final class HelpCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "Which; all of them unless given.")
  private List<String> names = List.of();

  @Override
  public void run() {
    CommandLine shown = spec.parent().commandLine();
    for (String name : names) {
      CommandLine next = shown.getSubcommands().get(name);
      if (next == null) {
        throw new UnmatchedArgumentException(shown, List.of(name));
      }
      shown = next;
    }
    shown.usage(spec.root().commandLine().getOut());
  }
}
