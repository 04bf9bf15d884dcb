// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import org.cairn.comm.CommunicationException;

/** Ranks waited for each other longer than allowed, and the job was ended. */
public class StuckException extends CommunicationException {
  private static final long serialVersionUID = 1;

  /** Says who is gone or silent. */
  public StuckException(String message) {
    super(message);
  }
}
