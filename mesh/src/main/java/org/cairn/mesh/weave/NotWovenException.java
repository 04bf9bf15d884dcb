// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.io.Serial;

/** A kernel cannot be woven into a loop; the message says why, as the end of a sentence. */
final class NotWovenException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  NotWovenException(String reason) {
    super(reason);
  }

  NotWovenException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
