// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.MalformedException;

/**
 * The bytes of a file, by pages of which 8 MiB are kept at most. Metadata of HDF5 is scattered in
 * pieces of some ten bytes: small pages cost less than what they save. Where one is read after the
 * other, the next are read with it. For one thread.
 *
 * <p>A page is in one of two places that its number gives it. Memory that is new to a process costs
 * more than to read into it, so there are few places until pages are read for the second time.
 */
final class Pages {
  private static final int SHIFT = 14;
  private static final int PAGE = 1 << SHIFT;

  /** So many are read at once. */
  private static final int AT_ONCE = 4;

  private static final int FIRST_PLACES = 1 << 6;
  private static final int MOST_PLACES = 1 << 9;

  /** So many bits tell, by the last bits of its number, whether a page may have been read. */
  private static final int BITS = 1 << 16;

  private static final byte[] NOTHING = {};

  private final ByteSource source;
  private final long size;

  /** By place: which page it has, and its memory. */
  private long[] numbers = {};

  private byte[][] memory = {};

  /** Which place of each two was wanted last. */
  private int[] recent = {};

  private final long[] read = new long[BITS / Long.SIZE];
  private int readAgain;

  /** Which pages follow those that were read of late, and which of these is forgotten next. */
  private final long[] following = {-1, -1, -1, -1};

  private int forgotten;
  private byte[] several = NOTHING;

  /** The page that was wanted last, mostly the next one, too. */
  private long lastNumber = -1;

  private byte[] last = NOTHING;

  Pages(ByteSource source) {
    this.source = source;
    this.size = source.size();
    makePlaces(FIRST_PLACES);
  }

  private void makePlaces(int count) {
    numbers = new long[count];
    memory = new byte[count][];
    recent = new int[count / 2];
    Arrays.fill(numbers, -1);
    Arrays.fill(memory, NOTHING);
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
      throw MalformedException.outside(offset, "leads beyond the end of the file");
    }
    return numberWithin(offset, bytes);
  }

  /**
   * A number that is known to be within the file. Plain code: where a file is small, all of it runs
   * before it is compiled, and views of arrays are slow until then.
   */
  long numberWithin(long offset, int bytes) throws IOException {
    int at = (int) offset & PAGE - 1;
    if (at + bytes > PAGE) {
      return across(offset, bytes);
    }
    byte[] page = page(offset >>> SHIFT);
    if (bytes == 1) {
      return page[at] & 0xFF;
    }
    if (bytes == Long.BYTES) {
      return half(page, at) & 0xFFFF_FFFFL | (long) half(page, at + 4) << 32;
    }
    long number = 0;
    for (int i = at + bytes - 1; i >= at; i--) {
      number = number << Byte.SIZE | page[i] & 0xFF;
    }
    return number;
  }

  private static int half(byte[] page, int at) {
    return page[at] & 0xFF
        | (page[at + 1] & 0xFF) << 8
        | (page[at + 2] & 0xFF) << 16
        | page[at + 3] << 24;
  }

  /**
   * Whether bytes that are all in one page are those of an array.
   *
   * @param bounds those that count are from one to the next, and again from the next to the next
   * @param ends how many bounds there are
   */
  boolean isLike(long offset, byte[] array, int[] bounds, int ends) throws IOException {
    int at = (int) offset & PAGE - 1;
    if (at + array.length > PAGE || !holds(offset, array.length)) {
      return false;
    }
    byte[] page = page(offset >>> SHIFT);
    for (int i = 0; i < ends; i += 2) {
      int from = bounds[i];
      int to = bounds[i + 1];
      if (!Arrays.equals(page, at + from, at + to, array, from, to)) {
        return false;
      }
    }
    return true;
  }

  /** How many bytes there are before the next zero, of so many that are known to be within. */
  int bytesToZero(long offset, int most) throws IOException {
    int length = 0;
    while (length < most) {
      int at = (int) (offset + length) & PAGE - 1;
      byte[] page = page(offset + length >>> SHIFT);
      int end = Math.min(PAGE, at + most - length);
      for (int i = at; i < end; i++) {
        if (page[i] == 0) {
          return length + i - at;
        }
      }
      length += end - at;
    }
    return most;
  }

  /** Bytes that are known to be within the file. */
  void bytesWithin(long offset, byte[] bytes) throws IOException {
    int done = 0;
    while (done < bytes.length) {
      int at = (int) (offset + done) & PAGE - 1;
      int length = Math.min(PAGE - at, bytes.length - done);
      System.arraycopy(page(offset + done >>> SHIFT), at, bytes, done, length);
      done += length;
    }
  }

  /** Text before the next zero, of so many bytes that are known to be within the file. */
  String textToZero(long offset, int most) throws IOException {
    return textWithin(offset, bytesToZero(offset, most));
  }

  /** Text of bytes that are known to be within the file. */
  String textWithin(long offset, int length) throws IOException {
    int at = (int) offset & PAGE - 1;
    if (at + length <= PAGE && length > 0) {
      return new String(page(offset >>> SHIFT), at, length, StandardCharsets.UTF_8);
    }
    byte[] bytes = new byte[length];
    bytesWithin(offset, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** All ones, in as many bytes. */
  static long mask(int bytes) {
    return bytes == 0 ? 0 : -1L >>> (Long.SIZE - Byte.SIZE * bytes);
  }

  private long across(long offset, int bytes) throws IOException {
    long number = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      number = number << Byte.SIZE | numberWithin(offset + i, 1);
    }
    return number;
  }

  private byte[] page(long number) throws IOException {
    return number == lastNumber ? last : kept(number);
  }

  private byte[] kept(long number) throws IOException {
    int place = find(number);
    if (numbers[place] != number) {
      read(number);
      place = find(number);
    }
    last = memory[place];
    lastNumber = number;
    return last;
  }

  /** Where a page is; if it is nowhere, where it may go. */
  private int find(long number) {
    int pair = (int) number & recent.length - 1;
    int place = 2 * pair + recent[pair];
    if (numbers[place] != number) {
      place ^= 1;
      if (numbers[place] == number) {
        recent[pair] = place & 1;
      }
    }
    return place;
  }

  /** Reads a page, and those behind it if it is behind one that was read of late. */
  private void read(long number) throws IOException {
    if (markRead(number) && ++readAgain >= numbers.length / 4 && numbers.length < MOST_PLACES) {
      grow();
    }
    int stream = stream(number);
    long end = number + 1;
    while (stream >= 0
        && end < number + AT_ONCE
        && holds(end << SHIFT, PAGE)
        && numbers[find(end)] != end) {
      end++;
    }
    if (end == number + 1) {
      int place = free(number);
      read(number << SHIFT, memory[place], memory[place].length);
      numbers[place] = number;
    } else {
      readSeveral(number, end);
    }
    if (stream < 0) {
      stream = forgotten;
      forgotten = forgotten + 1 & following.length - 1;
    }
    following[stream] = end;
  }

  /** Which of the pages that follow others it is, or −1. */
  private int stream(long number) {
    for (int i = 0; i < following.length; i++) {
      if (following[i] == number) {
        return i;
      }
    }
    return -1;
  }

  private void readSeveral(long first, long end) throws IOException {
    if (several.length == 0) {
      several = new byte[AT_ONCE * PAGE];
    }
    read(first << SHIFT, several, (int) (end - first) * PAGE);
    for (long number = first; number < end; number++) {
      int place = free(number);
      System.arraycopy(several, (int) (number - first) * PAGE, memory[place], 0, PAGE);
      numbers[place] = number;
      markRead(number);
    }
  }

  /** Frees the place where a page goes. */
  private int free(long number) {
    int place = find(number);
    int length = (int) Math.min(PAGE, size - (number << SHIFT));
    if (memory[place].length != length) {
      memory[place] = new byte[length];
    }
    numbers[place] = -1; // until it was read
    lastNumber = -1; // its memory may be what is read into
    recent[place / 2] = place & 1;
    return place;
  }

  private void read(long start, byte[] target, int length) throws IOException {
    try {
      source.read(start, target, 0, length);
    } catch (IndexOutOfBoundsException e) {
      throw new IOException("the file became shorter while it was read", e);
    }
  }

  /**
   * Remembers that a page was read.
   *
   * @return whether it may have been before
   */
  private boolean markRead(long number) {
    int bit = (int) number & BITS - 1;
    long before = read[bit / Long.SIZE];
    read[bit / Long.SIZE] = before | 1L << bit;
    return (before >>> bit & 1) != 0;
  }

  /** Twice as many places. */
  private void grow() {
    long[] oldNumbers = numbers;
    byte[][] oldMemory = memory;
    makePlaces(2 * oldNumbers.length);
    readAgain = 0;
    for (int i = 0; i < oldNumbers.length; i++) {
      if (oldNumbers[i] >= 0) {
        int place = find(oldNumbers[i]);
        numbers[place] = oldNumbers[i];
        memory[place] = oldMemory[i];
        recent[place / 2] = place & 1;
      }
    }
  }
}
