// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.MemorySegment;
import org.cairn.Codec;

/** {@link Codec#NONE}: no block gets smaller, and a stored block is the block. Keeps no state. */
final class RawBlockCodec implements BlockCodec {

  @Override
  public long maxCompressedLength(int length) {
    return Ranges.checkLength(length);
  }

  @Override
  public int compress(
      MemorySegment source,
      long sourceOffset,
      int length,
      MemorySegment target,
      long targetOffset,
      long targetCapacity) {
    Ranges.check(source, sourceOffset, length, target, targetOffset, targetCapacity);
    return -1;
  }

  @Override
  public void decompress(
      MemorySegment source,
      long sourceOffset,
      int storedLength,
      MemorySegment target,
      long targetOffset,
      int length) {
    Ranges.check(source, sourceOffset, storedLength, target, targetOffset, length);
    if (storedLength != length) {
      throw new CodecException(
          "A raw block of " + length + " bytes is stored in " + storedLength + " bytes");
    }
    MemorySegment.copy(source, sourceOffset, target, targetOffset, length);
  }

  @Override
  public void close() {}
}
