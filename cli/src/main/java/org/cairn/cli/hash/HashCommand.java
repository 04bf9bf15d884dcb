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
      "Answers how often hashes miss that a block has changed, how fast they are here, and how much"
          + " of what programs write to has changed at all.",
      ""
    },
    synopsisSubcommandLabel = "QUESTION",
    footer = {
      "",
      "Examples:",
      "  cairn hash study                   how often hashes miss a change",
      "  cairn hash rates                   speeds by block size, memory and threads",
      "  cairn hash written                 pages written to, and blocks that changed",
      "",
      "docs/hash-study.md has all with their answers."
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
        .addSubcommand(new RatesCommand(terminal))
        .addSubcommand(new WrittenCommand(terminal));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say which question to answer");
  }
}
