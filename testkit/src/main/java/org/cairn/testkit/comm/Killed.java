// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

/**
 * The rank that runs this is no more. An {@link Error}, because a dead rank handles nothing: code
 * that catches every {@link Exception} to carry on must not get to see it.
 */
public final class Killed extends Error {
  private static final long serialVersionUID = 1L;

  private final int rank;

  Killed(int rank, String message) {
    super(message);
    this.rank = rank;
  }

  /** The rank that was killed, in the communicator that was decorated first. */
  public int rank() {
    return rank;
  }
}
