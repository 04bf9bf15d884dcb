// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.cairn.pack.locate.ByteSource;

/**
 * The bytes of a file, by pages of which a few MiB are kept. Metadata of HDF5 is scattered in
 * pieces of some ten bytes: small pages cost less than what they save. For one thread.
 */
final class Pages {
  private static final int SHIFT = 12;
  private static final int PAGE = 1 << SHIFT;

  /** So many are kept, each in the place that its number gives it. */
  private static final int PLACES = 1 << 10;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteSource source;
  private final long size;
  private final long[] numbers = new long[PLACES];
  private final byte[][] pages = new byte[PLACES][];

  Pages(ByteSource source) {
    this.source = source;
    this.size = source.size();
    Arrays.fill(numbers, -1);
  }

  /** How many bytes the file has. */
  long size() {
    return size;
  }

  /** Whether bytes are all within the file. */
  boolean holds(long offset, long length) {
    return offset >= 0 && length >= 0 && length <= size && offset <= size - length;
  }

  /**
   * A number of up to 8 bytes, the lowest first.
   *
   * @throws MalformedException if it is not within the file
   */
  long number(long offset, int bytes) throws IOException, MalformedException {
    if (!holds(offset, bytes)) {
      throw new MalformedException(offset, "leads beyond the end of the file");
    }
    byte[] page = page(offset >>> SHIFT);
    int at = (int) offset & PAGE - 1;
    return at + Long.BYTES <= page.length
        ? (long) LONGS.get(page, at) & mask(bytes)
        : byBytes(offset, bytes);
  }

  /** All ones, in as many bytes. */
  static long mask(int bytes) {
    return bytes == 0 ? 0 : -1L >>> (Long.SIZE - Byte.SIZE * bytes);
  }

  private long byBytes(long offset, int bytes) throws IOException {
    long number = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      number = number << Byte.SIZE | at(offset + i) & 0xFF;
    }
    return number;
  }

  private byte at(long offset) throws IOException {
    return page(offset >>> SHIFT)[(int) offset & PAGE - 1];
  }

  private byte[] page(long number) throws IOException {
    int place = (int) number & PLACES - 1;
    if (numbers[place] != number) {
      numbers[place] = -1;
      pages[place] = read(number << SHIFT);
      numbers[place] = number;
    }
    return pages[place];
  }

  private byte[] read(long start) throws IOException {
    byte[] page = new byte[(int) Math.min(PAGE, size - start)];
    try {
      source.read(start, MemorySegment.ofArray(page));
    } catch (IndexOutOfBoundsException e) {
      throw new IOException("the file became shorter while it was read", e);
    }
    return page;
  }
}
