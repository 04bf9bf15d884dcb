// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

/** A message could not be sent or received: wrong sizes, a broken transport, an interrupt. */
public class CommunicationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says what went wrong. */
  public CommunicationException(String message) {
    super(message);
  }

  /** Says what went wrong, and why. */
  public CommunicationException(String message, Throwable cause) {
    super(message, cause);
  }
}
