// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

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

  static boolean isRefusal(String line) {
    return line.startsWith(REFUSAL);
  }
}
