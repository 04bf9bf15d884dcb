// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** What every block codec checks before it touches memory. */
final class Ranges {
  /** Below the limits of LZ4 (0x7E000000) and of byte buffers, and far above any block. */
  static final int MAX_LENGTH = 1 << 30;

  private Ranges() {}

  /** Returns the length if a block can have it. */
  static int checkLength(int length) {
    if (length < 0 || length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "Block length " + length + " is not between 0 and " + MAX_LENGTH);
    }
    return length;
  }

  /** Both ranges lie inside their segments, and the target may be written. */
  static void check(
      MemorySegment source,
      long sourceOffset,
      long sourceLength,
      MemorySegment target,
      long targetOffset,
      long targetLength) {
    Objects.checkFromIndexSize(sourceOffset, sourceLength, source.byteSize());
    Objects.checkFromIndexSize(targetOffset, targetLength, target.byteSize());
    // Native code would write through it: only Java knows the flag.
    if (target.isReadOnly()) {
      throw new IllegalArgumentException("Read-only target segment " + target);
    }
  }

  /** A compressed block is smaller than the block: {@link BlockCodec#compress} sees to that. */
  static void checkStored(int storedLength, int length) {
    if (storedLength >= length) {
      throw new CodecException(
          "%d stored bytes cannot be a compressed block of %d bytes"
              .formatted(storedLength, length));
    }
  }
}
