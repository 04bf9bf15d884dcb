// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.List;

/**
 * There are checkpoints, but none that was asked for can be restored. The message says what each
 * answered. Protected memory may hold a part of a version that turned out damaged.
 */
public class CheckpointUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial") // made by List.copyOf, which can be written
  private final List<String> problems;

  /** Reports what was tried and what was found. */
  public CheckpointUnavailableException(String message, List<String> problems) {
    super(problems.isEmpty() ? message : message + ":\n  " + String.join("\n  ", problems));
    this.problems = List.copyOf(problems);
  }

  /** What each version answered. */
  public List<String> problems() {
    return problems;
  }
}
