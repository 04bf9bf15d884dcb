// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.util.LinkedHashMap;
import java.util.Map;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Terminal;
import org.cairn.job.Outlook;
import org.cairn.version.VersionId;

/** What a restart would do, in words that follow "a restart". */
final class RestartLine {
  private static final String REFUSAL = "would refuse: ";

  private RestartLine() {}

  static String of(Outlook outlook) {
    return switch (outlook.kind()) {
      case RESTORE ->
          "would go on with version %s of %s"
              .formatted(outlook.version().map(VersionId::exact).orElse("none"), outlook.life());
      case FIRST_RUN -> "would begin: nothing was saved";
      case AGAIN -> "would begin again: %s never completed a checkpoint".formatted(outlook.life());
      case REFUSE -> REFUSAL + outlook.why();
    };
  }

  /** By the names of jobs. */
  static Map<String, String> all(Map<String, Outlook> outlooks) {
    Map<String, String> lines = new LinkedHashMap<>();
    outlooks.forEach((name, outlook) -> lines.put(name, of(outlook)));
    return lines;
  }

  static void print(Terminal terminal, Map<String, String> lines) {
    lines.forEach(
        (name, what) ->
            terminal
                .out()
                .println(
                    "A restart%s %s."
                        .formatted(
                            name.isEmpty() ? "" : " of \"" + name + "\"",
                            Printable.oneLine(what))));
  }

  static boolean isRefusal(String line) {
    return line.startsWith(REFUSAL);
  }
}
