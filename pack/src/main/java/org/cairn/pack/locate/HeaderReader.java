// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Reads a header from its beginning to its end, through a window of a few kilobytes, whatever the
 * header says of its length. For one thread.
 */
public final class HeaderReader {
  private static final int WINDOW = 1 << 13;

  private final ByteSource file;
  private final ValueLayout.OfInt ints;
  private final ValueLayout.OfLong longs;
  private final byte[] memory = new byte[WINDOW];
  private final MemorySegment window = MemorySegment.ofArray(memory);
  private long windowStart;
  private int windowLength;
  private long position;

  /**
   * Reads from a place on.
   *
   * @param order of numbers
   */
  public HeaderReader(ByteSource file, long position, ByteOrder order) {
    this.file = file;
    this.position = position;
    this.ints = JAVA_INT_UNALIGNED.withOrder(order);
    this.longs = JAVA_LONG_UNALIGNED.withOrder(order);
  }

  /** Where the next byte is. */
  public long position() {
    return position;
  }

  /** How many bytes the file has from here on. */
  public long remaining() {
    return file.size() - position;
  }

  /** An unsigned number of 8 bits. */
  public int readByte() throws IOException, MalformedException {
    return window.get(JAVA_BYTE, take(1)) & 0xFF;
  }

  /** A number of 32 bits. */
  public int readInt() throws IOException, MalformedException {
    return window.get(ints, take(4));
  }

  /** A number of 64 bits. */
  public long readLong() throws IOException, MalformedException {
    return window.get(longs, take(8));
  }

  /**
   * So many bytes.
   *
   * @param length at most what the caller wants to hold in memory
   */
  public byte[] readBytes(int length) throws IOException, MalformedException {
    need(length);
    byte[] bytes = new byte[length];
    if (length <= WINDOW) {
      MemorySegment.copy(window, JAVA_BYTE, take(length), bytes, 0, length);
    } else {
      file.read(position, MemorySegment.ofArray(bytes));
      position += length;
    }
    return bytes;
  }

  /** Passes over so many bytes. */
  public void skip(long length) throws MalformedException {
    need(length);
    position += length;
  }

  /** Where the next bytes are in the window. */
  private long take(int length) throws IOException, MalformedException {
    need(length);
    if (position < windowStart || position + length > windowStart + windowLength) {
      int next = (int) Math.min(WINDOW, remaining());
      windowLength = 0; // until it was read
      file.read(position, window.asSlice(0, next));
      windowStart = position;
      windowLength = next;
    }
    long at = position - windowStart;
    position += length;
    return at;
  }

  private void need(long length) throws MalformedException {
    if (length < 0 || length > remaining()) {
      throw MalformedException.outside(
          position, "the file ends before %,d bytes".formatted(length));
    }
  }
}
