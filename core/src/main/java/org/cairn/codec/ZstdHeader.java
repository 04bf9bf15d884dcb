// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What a Zstandard frame says of itself (RFC 8878, 3.1.1.1), read without the library.
 *
 * @param content how many bytes it expands to
 * @param window how far back its repeats may lie
 */
public record ZstdHeader(long content, long window) {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int DICTIONARY = 3;
  private static final int RESERVED = 8;
  private static final int SINGLE_SEGMENT = 32;
  private static final int SIZE_SHIFT = 6;
  private static final int SMALLEST_WINDOW_LOG = 10;

  /** What is added to sizes of two bytes. */
  private static final int BEYOND_ONE_BYTE = 256;

  /**
   * Reads the first bytes of a frame.
   *
   * @throws CodecException if they are no header, or one of a frame that Cairn does not write: with
   *     a dictionary, or without its size
   */
  public static ZstdHeader read(MemorySegment frame) {
    if (frame.byteSize() < 6 || frame.get(INT, 0) != ZstdFunctions.MAGIC) {
      throw new CodecException(frame.byteSize() + " stored bytes are no zstd frame");
    }
    int flags = frame.get(ValueLayout.JAVA_BYTE, 4) & 0xFF;
    boolean single = (flags & SINGLE_SEGMENT) != 0;
    if ((flags & (DICTIONARY | RESERVED)) != 0 || !single && flags >>> SIZE_SHIFT == 0) {
      throw new CodecException("a zstd frame that has a dictionary, or lacks its size");
    }
    int at = single ? 5 : 6;
    int bytes = 1 << (flags >>> SIZE_SHIFT);
    if (frame.byteSize() < at + bytes) {
      throw new CodecException("a zstd frame that ends in its header");
    }
    long content = number(frame, at, bytes) + (bytes == 2 ? BEYOND_ONE_BYTE : 0);
    if (content < 0) {
      throw new CodecException("a zstd frame of " + Long.toUnsignedString(content) + " bytes");
    }
    return new ZstdHeader(content, single ? content : window(frame));
  }

  private static long number(MemorySegment frame, int at, int bytes) {
    long value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      value = value << 8 | frame.get(ValueLayout.JAVA_BYTE, at + i) & 0xFF;
    }
    return value;
  }

  private static long window(MemorySegment frame) {
    int descriptor = frame.get(ValueLayout.JAVA_BYTE, 5) & 0xFF;
    long base = 1L << (SMALLEST_WINDOW_LOG + (descriptor >>> 3));
    return base + (base >> 3) * (descriptor & 7);
  }
}
