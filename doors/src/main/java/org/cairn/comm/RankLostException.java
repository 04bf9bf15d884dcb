// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

/** A rank that this one depends on has ended. */
public class RankLostException extends CommunicationException {
  private static final long serialVersionUID = 1;

  private final int rank;

  /** Names the rank that was lost, and how. */
  public RankLostException(int rank, String how) {
    super(describe(rank) + how);
    this.rank = rank;
  }

  /** Names the rank that was lost, how, and what ended it. */
  public RankLostException(int rank, String how, Throwable cause) {
    super(describe(rank) + how, cause);
    this.rank = rank;
  }

  private static String describe(int rank) {
    return (rank < 0 ? "a rank outside of this communicator" : "rank " + rank) + " is lost: ";
  }

  /** The rank that was lost, in the communicator that noticed; -1 if it is not one of its ranks. */
  public int rank() {
    return rank;
  }
}
