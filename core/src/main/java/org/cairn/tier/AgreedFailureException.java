// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;

/** What one rank could not do, and so none has done. All ranks throw it with the same message. */
public class AgreedFailureException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What all ranks have agreed on. */
  public AgreedFailureException(String message) {
    super(message);
  }
}
