// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.Locale;
import org.cairn.plan.replication.SoftwareOverhead;

/** What the software of replicas costs, as it is typed. */
final class OverheadOption {
  private OverheadOption() {}

  static SoftwareOverhead parse(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "none" -> SoftwareOverhead.NONE;
      case "best" -> SoftwareOverhead.BEST_PROTOCOL;
      case "worst" -> SoftwareOverhead.WORST_PROTOCOL;
      default ->
          throw new IllegalArgumentException(
              "--overhead is '" + text + "'; there are none, best and worst");
    };
  }
}
