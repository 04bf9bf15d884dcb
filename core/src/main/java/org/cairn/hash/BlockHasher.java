// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import org.cairn.HashAlgorithm;

/**
 * Computes the digests of consecutive blocks of memory, where they lie.
 *
 * <p>A digest is 128 bits, kept as two {@code long}s: the low 64 bits (the first 8 bytes,
 * little-endian) and the high 64 bits. Algorithms of fewer bits leave the rest zero, see {@link
 * HashAlgorithm#bits()}.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>The digest depends on the algorithm and the bytes alone: not on the kind of memory (heap
 *       arrays of any element type, native, mapped), its alignment, the machine, or the path chosen
 *       by {@link HashPath}.
 *   <li>A hasher is safe for use by many threads at once.
 *   <li>Nothing proportional to the data is allocated, and the data is not copied.
 * </ol>
 */
public interface BlockHasher {

  /** The algorithm whose digests this hasher computes. */
  HashAlgorithm algorithm();

  /**
   * Computes the digest of every block of {@code data[offset, offset + length)}.
   *
   * <p>Block {@code i} starts at {@code offset + i * blockSize} and is {@code blockSize} bytes
   * long; the last one may be shorter. Its digest goes to {@code digests[2 * (at + i)]} (low half)
   * and {@code digests[2 * (at + i) + 1]} (high half). A length of zero has no blocks.
   *
   * @throws IndexOutOfBoundsException if the range is not inside {@code data} or the digests do not
   *     fit into {@code digests}; nothing has been written then
   * @throws IllegalArgumentException if {@code blockSize} is not positive
   */
  void hash(MemorySegment data, long offset, long length, int blockSize, long[] digests, int at);

  /** How many blocks {@code length} bytes are cut into. */
  static long blocks(long length, int blockSize) {
    return Math.ceilDiv(length, blockSize);
  }
}
