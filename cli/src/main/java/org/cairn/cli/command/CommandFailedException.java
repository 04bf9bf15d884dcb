// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

/** A command cannot do its work; the message says why, on one line, without the word "error". */
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean usage;

  /** For a reason that no exception brought up. */
  public CommandFailedException(String message) {
    super(message);
    usage = false;
  }

  /** For the reason that an exception brought up. */
  public CommandFailedException(String message, Throwable cause) {
    super(message, cause);
    usage = false;
  }

  private CommandFailedException(String message, boolean usage) {
    super(message);
    this.usage = usage;
  }

  /** For something that fits several things; the message says how to write each. */
  public static CommandFailedException ambiguous(String message) {
    return new CommandFailedException(message, true);
  }

  /** Whether the user can say it better. */
  public boolean isUsage() {
    return usage;
  }
}
