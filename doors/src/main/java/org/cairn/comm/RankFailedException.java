// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

/**
 * A rank of {@link Ranks#run} failed. Its failure is the cause; what the other ranks threw is
 * suppressed, and is often only that they noticed.
 */
public class RankFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int rank;

  RankFailedException(int rank, int ranks, Throwable cause) {
    super("rank %d of %d failed: %s".formatted(rank, ranks, cause), cause);
    this.rank = rank;
  }

  /** The rank that failed first. */
  public int rank() {
    return rank;
  }
}
