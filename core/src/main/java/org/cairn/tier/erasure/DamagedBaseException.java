// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import org.cairn.version.VersionId;

/** What an update builds on is damaged: it can be done without, by encoding anew. */
final class DamagedBaseException extends IOException {
  private static final long serialVersionUID = 1;

  private final boolean parity;
  private final transient VersionId version;

  /**
   * Says what was found.
   *
   * @param parity whether it is parity that is damaged, or else a member's own container
   * @param version which version of it
   */
  DamagedBaseException(boolean parity, VersionId version, IOException cause) {
    super(cause.getMessage(), cause);
    this.parity = parity;
    this.version = version;
  }

  boolean isParity() {
    return parity;
  }

  VersionId version() {
    return version;
  }
}
