// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.MemorySegment;

/** Computes digests of consecutive blocks, two {@code long}s each. */
@FunctionalInterface
interface BlockDigests {
  void hash(MemorySegment data, long offset, long length, int blockSize, long[] digests);
}
