// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

/** What is done when a person interrupts us. */
public final class Hooks {
  private Hooks() {}

  /** Takes one back, unless it is being done. */
  public static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // We are ending, and it is done.
    }
  }
}
