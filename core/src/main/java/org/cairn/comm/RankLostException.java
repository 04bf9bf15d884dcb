// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

/** A rank that this one depends on has ended. */
public class RankLostException extends CommunicationException {
  private static final long serialVersionUID = 1;

  private final int rank;

  /** Names the rank that was lost, and how. */
  public RankLostException(int rank, String how) {
    super("rank " + rank + " is lost: " + how);
    this.rank = rank;
  }

  /** Names the rank that was lost, how, and what ended it. */
  public RankLostException(int rank, String how, Throwable cause) {
    super("rank " + rank + " is lost: " + how, cause);
    this.rank = rank;
  }

  /** The rank that was lost, in the communicator that noticed. */
  public int rank() {
    return rank;
  }
}
