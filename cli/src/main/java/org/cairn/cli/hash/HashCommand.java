// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cairn hash}. */
@Command(
    name = "hash",
    description = {
      "Answers how often hashes miss that a block has changed, and how fast they are here.",
      ""
    },
    synopsisSubcommandLabel = "QUESTION",
    footer = {
      "",
      "Examples:",
      "  cairn hash study                   algorithm 1 and table I of the paper, and what is exact",
      "  cairn hash rates                   speeds by block size, memory and threads",
      "",
      "docs/hash-study.md has both with their answers."
    })
public final class HashCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  private HashCommand() {}

  /** The command with its questions, writing to this terminal. */
  public static CommandLine on(Terminal terminal) {
    return new CommandLine(new HashCommand())
        .addSubcommand(new StudyCommand(terminal))
        .addSubcommand(new RatesCommand(terminal));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say which question to answer");
  }
}
