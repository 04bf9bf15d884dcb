// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;

/**
 * A checksum of at most 64 bits, read straight from a segment. Ranges have been checked by the
 * caller; an instance sees segments of one {@link MemoryKind} only, and any number of threads.
 */
interface ChecksumKernel {

  /** The checksum of one block. */
  long checksum(MemorySegment data, long from, int length);
}
