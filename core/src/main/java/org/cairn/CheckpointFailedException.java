// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/**
 * A checkpoint did not become durable. The one before is untouched, and the next call tries again.
 */
public class CheckpointFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Reports a failed checkpoint. */
  public CheckpointFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
