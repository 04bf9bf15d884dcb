// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

/** Why writes to memory cannot be seen here; the message is for people. */
public final class UnwatchableException extends Exception {
  private static final long serialVersionUID = 1;

  /** With the reason. */
  public UnwatchableException(String why) {
    super(why);
  }

  /** The reason. */
  public String why() {
    return String.valueOf(getMessage());
  }
}
