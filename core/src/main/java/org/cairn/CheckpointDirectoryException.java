// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/** A checkpoint directory cannot be used. The message says why and what to do. */
public class CheckpointDirectoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Reports a directory that cannot be used. */
  public CheckpointDirectoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
