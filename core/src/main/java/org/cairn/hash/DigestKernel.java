// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;

/**
 * A way to compute digests of 128 bits. Ranges have been checked by the caller; an instance sees
 * segments of one {@link MemoryKind} only, and any number of threads.
 */
interface DigestKernel {

  /** The digest of one range of any length, to {@code digests[2 * at]} and the one after it. */
  void digest(MemorySegment data, long from, long length, long[] digests, int at);

  /**
   * The digests of two ranges of equal length that follow each other, to {@code digests[2 * at]}
   * and the three after it. Kernels that gain by it work on both at once.
   */
  default void digestPair(MemorySegment data, long from, long length, long[] digests, int at) {
    digest(data, from, length, digests, at);
    digest(data, from + length, length, digests, at + 1);
  }

  /** The digests of blocks of equal length that follow each other. */
  default void digestAll(
      MemorySegment data, long from, int blocks, int blockSize, long[] digests, int at) {
    int block = 0;
    for (; block + 2 <= blocks; block += 2) {
      digestPair(data, from + (long) block * blockSize, blockSize, digests, at + block);
    }
    if (block < blocks) {
      digest(data, from + (long) block * blockSize, blockSize, digests, at + block);
    }
  }
}
