// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.util.Locale;

/** Why a node failed, in the kinds of LANL's failure data. */
public enum Cause {
  /** A part of the node. */
  HARDWARE("hardware", true),
  /** Power, cooling: the node is without them. */
  FACILITIES("facilities", true),
  /** The network between nodes. */
  NETWORK("network", false),
  /** A program, of the system or not. */
  SOFTWARE("software", false),
  /** Somebody. */
  HUMAN_ERROR("human error", false),
  /** Nobody knows, or nobody wrote it down. */
  UNDETERMINED("undetermined", false);

  private final String title;
  private final boolean severe;

  Cause(String title, boolean severe) {
    this.title = title;
    this.severe = severe;
  }

  /** What people call it; also the name of its column. */
  public String title() {
    return title;
  }

  /** Whether what the node holds is out of reach until it is repaired, a checkpoint too. */
  public boolean isSevere() {
    return severe;
  }

  /** The cause of this name; undetermined where it is none of them. */
  static Cause of(String name) {
    String wanted = name.strip().toLowerCase(Locale.ROOT);
    for (Cause cause : values()) {
      if (cause.title.equals(wanted)) {
        return cause;
      }
    }
    return UNDETERMINED;
  }
}
