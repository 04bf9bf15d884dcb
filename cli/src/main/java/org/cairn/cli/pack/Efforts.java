// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.util.List;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Terminal;
import org.cairn.frame.Effort;

/** How hard frames were compressed, and why, for people. */
public final class Efforts {
  private static final int SHOWN = 4;

  private Efforts() {}

  /** Prints a line for each, the most frequent first; nothing if nobody told. */
  public static void print(Terminal terminal, List<Effort.Count> efforts) {
    efforts.stream()
        .limit(SHOWN)
        .forEach(
            one -> terminal.out().println("Compression: " + Printable.oneLine(one.toString())));
    if (efforts.size() > SHOWN) {
      terminal.out().printf("and %d more: --json%n", efforts.size() - SHOWN);
    }
  }
}
