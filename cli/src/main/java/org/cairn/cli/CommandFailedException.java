// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

/** A command cannot do its work; the message says why, on one line, without the word "error". */
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** For a reason that no exception brought up. */
  public CommandFailedException(String message) {
    super(message);
  }

  /** For the reason that an exception brought up. */
  public CommandFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
