// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import org.jspecify.annotations.Nullable;

/** Tells a full disk from other failures: the JDK has no exception of its own for it. */
public final class FullDisk {
  private FullDisk() {}

  /** Whether this, or what caused it, says that there is no space left. */
  public static boolean isReason(Throwable failure) {
    @Nullable Throwable one = failure;
    for (int depth = 0; one != null && depth < 10; depth++) {
      String text = String.valueOf(one.getMessage());
      if (text.contains("No space left") || text.contains("Disk quota")) {
        return true;
      }
      one = one.getCause();
    }
    return false;
  }
}
