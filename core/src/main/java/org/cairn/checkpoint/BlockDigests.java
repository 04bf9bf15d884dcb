// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import org.cairn.supply.Supply;

/**
 * The digests of all blocks of a dataset, as they were hashed for a checkpoint. Many threads may
 * note different blocks at once.
 */
public final class BlockDigests {
  private final String dataset;
  private final long[] digests;

  BlockDigests(String dataset, int blocks) {
    this.dataset = dataset;
    this.digests = Supply.longs(2 * blocks);
  }

  /** The name of the dataset. */
  public String dataset() {
    return dataset;
  }

  /** Low and high halves by turns. */
  public long[] digests() {
    return digests;
  }

  void note(int first, int blocks, long[] hashed) {
    System.arraycopy(hashed, 0, digests, 2 * first, 2 * blocks);
  }
}
