// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

/** A rank that is a thread called {@link Communicator#abort}; it is why the others are lost. */
public class AbortedException extends CommunicationException {
  private static final long serialVersionUID = 1;

  private final int status;

  AbortedException(int rank, int status) {
    super("rank %d has ended all ranks with status %d".formatted(rank, status));
    this.status = status;
  }

  /** What the ranks would have exited with, were they processes. */
  public int status() {
    return status;
  }
}
