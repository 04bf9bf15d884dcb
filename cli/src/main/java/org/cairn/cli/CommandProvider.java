// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

import org.cairn.cli.terminal.Terminal;

/**
 * Adds a subcommand to {@code cairn}, from another module. Providers are found with {@link
 * java.util.ServiceLoader}: name yours in {@code META-INF/services/org.cairn.cli.CommandProvider}.
 */
public interface CommandProvider {

  /**
   * Makes the subcommand: an object with picocli's {@code @Command}, which is a {@code
   * Callable<Integer>} and returns the exit code. It has {@code --help}, {@code --progress} and
   * {@code --debug} without doing anything; for {@code --json} see {@link
   * org.cairn.cli.command.JsonOption}. What goes wrong it throws: the message becomes the one line
   * that users see.
   */
  Object command(Terminal terminal);
}
