// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code cairn man}. */
@Command(
    name = "man",
    description = {"Prints the page of a command for man, or writes all pages to a folder.", ""},
    footer = {
      "",
      "Examples:",
      "  ./cairn man verify | man -l -",
      "  ./cairn man --to ~/.local/share/man/man1       then: man cairn-verify"
    })
public final class ManCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(names = "--to", paramLabel = "DIR", description = "Write all pages to this folder.")
  private @Nullable Path folder;

  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "Which; cairn itself unless given.")
  private List<String> names = List.of();

  /** The command, writing to this terminal. */
  public ManCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (folder != null) {
      Files.createDirectories(folder);
      int written = write(spec.root(), folder);
      terminal.remark("%s pages in %s".formatted(Quantities.count(written), folder));
      return 0;
    }
    CommandLine shown = spec.root().commandLine();
    for (String name : names) {
      CommandLine next = shown.getSubcommands().get(name);
      if (next == null) {
        throw new UnmatchedArgumentException(shown, List.of(name));
      }
      shown = next;
    }
    terminal.out().print(ManPage.of(shown.getCommandSpec()));
    return 0;
  }

  private static int write(CommandSpec command, Path folder) throws IOException {
    Files.writeString(folder.resolve(ManPage.name(command) + ".1"), ManPage.of(command));
    int written = 1;
    for (CommandLine sub : command.subcommands().values()) {
      written += write(sub.getCommandSpec(), folder);
    }
    return written;
  }
}
