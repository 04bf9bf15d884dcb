// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.MemorySegment;

/**
 * Compresses and expands single blocks, reusing its state from block to block.
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>At most one thread at a time calls an instance; make one per thread. An instance may be
 *       handed to another thread if the hand-over orders memory (a queue, a lock, a start or join).
 *   <li>Source and target do not overlap.
 *   <li>Blocks have up to a few MiB. Larger ones work, but scratch memory grows with the largest
 *       block seen and stays until {@link #close}.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>Segments may be native, mapped, or over a primitive array of any type, on both sides.
 *       Native ones are faster for large blocks, because heap memory has to be copied first.
 *   <li>Blocks up to 16 KiB allocate nothing once scratch memory has reached the size of the
 *       largest block. With larger ones, LZ4 and ZSTD may make a slice (40 bytes) of each native
 *       segment.
 *   <li>Nothing outside {@code [targetOffset, targetOffset + capacity or length)} is written and
 *       nothing outside the source range is read, whatever the bytes are.
 *   <li>Ranges outside a segment give {@link IndexOutOfBoundsException}, a read-only target {@link
 *       IllegalArgumentException}, a closed codec or a closed segment {@link
 *       IllegalStateException}, each before anything is written.
 * </ol>
 */
public interface BlockCodec extends AutoCloseable {

  /**
   * The target capacity with which {@link #compress} never gives up for lack of room. At most
   * {@code length}, because a result that saves nothing is not a result.
   *
   * @throws IllegalArgumentException if {@code length} is negative
   */
  long maxCompressedLength(int length);

  /**
   * Compresses {@code length} bytes.
   *
   * <p>A capacity below {@link #maxCompressedLength} is allowed and asks for that saving: with 7/8
   * of the length, blocks that save less than an eighth are answered with -1.
   *
   * @return the compressed size, which is less than {@code length}, or -1 if the result would not
   *     be smaller than the source or does not fit {@code targetCapacity}; the caller then stores
   *     the block raw. With -1 the content of the target range is undefined.
   */
  int compress(
      MemorySegment source,
      long sourceOffset,
      int length,
      MemorySegment target,
      long targetOffset,
      long targetCapacity);

  /**
   * Expands {@code storedLength} bytes that {@link #compress} made into exactly {@code length}.
   *
   * <p>Not every damage is noticed: a flipped bit may expand to other bytes of the right length.
   * Digests find that.
   *
   * @throws CodecException if the stored bytes are no valid stream of this codec, or one of another
   *     length, or are followed by further bytes; the content of the target range is then undefined
   */
  void decompress(
      MemorySegment source,
      long sourceOffset,
      int storedLength,
      MemorySegment target,
      long targetOffset,
      int length);

  /** Frees native state and scratch memory. Closing again has no effect. */
  @Override
  void close();
}
