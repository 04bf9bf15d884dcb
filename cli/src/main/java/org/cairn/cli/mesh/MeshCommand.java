// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.mesh;

import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cairn mesh}. */
@Command(
    name = "mesh",
    description = {"Looks at checkpoints of programs that are meshes: docs/mesh.md.", ""},
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Examples:",
      "  cairn mesh report checkpoints      where a checkpoint was taken, what is in it, and why",
    })
public final class MeshCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  private MeshCommand() {}

  /** The command with its commands, writing to this terminal. */
  public static CommandLine on(Terminal terminal) {
    return new CommandLine(new MeshCommand()).addSubcommand(new ReportCommand(terminal));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do");
  }
}
