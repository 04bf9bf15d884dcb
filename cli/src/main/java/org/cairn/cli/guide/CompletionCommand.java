// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.guide;

import org.cairn.cli.terminal.Terminal;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cairn completion}. */
@Command(
    name = "completion",
    description = {"Prints what a shell needs to complete commands and options.", ""},
    footer = {
      "",
      "Examples:",
      "  source <(./cairn completion bash)                        in ~/.bashrc",
      "  source <(./cairn completion zsh)                         in ~/.zshrc",
      "  ./cairn completion bash > /etc/bash_completion.d/cairn   for all users"
    })
public final class CompletionCommand implements Runnable {
  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  /** Shells that are known. */
  enum Shell {
    bash,
    zsh
  }

  @Parameters(index = "0", paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Shell shell;

  /** The command, writing to this terminal. */
  public CompletionCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public void run() {
    if (shell == Shell.zsh) {
      // What follows is written for bash; zsh understands it like this.
      terminal.out().println("autoload -U +X compinit && compinit -u");
      terminal.out().println("autoload -U +X bashcompinit && bashcompinit");
    }
    terminal.out().print(AutoComplete.bash(spec.root().name(), spec.root().commandLine()));
  }
}
