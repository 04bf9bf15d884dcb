// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.cairn.pack.locate.MalformedException;

/**
 * Reads one field after the other, up to the end of the structure that they belong to.
 *
 * <p>Addresses come as offsets in the file. Such that no file can have become {@link #FAR}, which
 * is outside of every file, so that arithmetic with the others cannot overflow.
 */
final class Cursor {
  /** What an address is that leads nowhere. */
  static final long UNDEFINED = -1;

  /** What is larger than anything in a file. */
  static final long FAR = Long.MAX_VALUE >>> 1;

  private final Pages pages;
  private final Superblock superblock;
  private final long end;
  private long at;

  /** Reads up to an end that the file has. */
  Cursor(Pages pages, Superblock superblock, long at, long end) {
    this.pages = pages;
    this.superblock = superblock;
    this.at = at;
    this.end = end;
  }

  /** Where the next field is. */
  long at() {
    return at;
  }

  /** Where there is none any more. */
  long end() {
    return end;
  }

  /** How many bytes are left. */
  long left() {
    return end - at;
  }

  /** Goes on behind some bytes. */
  Cursor skip(long bytes) throws MalformedException {
    if (bytes < 0 || bytes > left()) {
      throw new MalformedException(at, "is cut off");
    }
    at += bytes;
    return this;
  }

  /** A number of up to 8 bytes; of 8, it may be negative. */
  long number(int bytes) throws IOException, MalformedException {
    long start = at;
    skip(bytes);
    return pages.numberWithin(start, bytes);
  }

  int u8() throws IOException, MalformedException {
    return (int) number(1);
  }

  int u16() throws IOException, MalformedException {
    return (int) number(2);
  }

  long u32() throws IOException, MalformedException {
    return number(4);
  }

  /** A number without sign, {@link #FAR} at most. */
  long count(int bytes) throws IOException, MalformedException {
    long number = number(bytes);
    return number < 0 || number > FAR ? FAR : number;
  }

  /** A number as wide as lengths are in this file, {@link #FAR} at most. */
  long length() throws IOException, MalformedException {
    return count(superblock.lengthBytes());
  }

  /** A length, or {@link #UNDEFINED} if all its bits are set. */
  long lengthOrUndefined() throws IOException, MalformedException {
    long number = number(superblock.lengthBytes());
    return number == Pages.mask(superblock.lengthBytes())
        ? UNDEFINED
        : number < 0 || number > FAR ? FAR : number;
  }

  /** Where in the file an address leads, or {@link #UNDEFINED}. */
  long address() throws IOException, MalformedException {
    long number = number(superblock.offsetBytes());
    if (number == Pages.mask(superblock.offsetBytes())) {
      return UNDEFINED;
    }
    return number < 0 || number > FAR - superblock.base() ? FAR : superblock.base() + number;
  }

  /** Expects four letters and a version. */
  Cursor expect(String signature, int version) throws IOException, MalformedException {
    long start = at;
    for (int i = 0; i < signature.length(); i++) {
      if (u8() != signature.charAt(i)) {
        throw new MalformedException(start, "is no " + signature);
      }
    }
    int found = u8();
    if (found != version) {
      throw new MalformedException(start, signature + " has the unknown version " + found);
    }
    return this;
  }

  /** So many bytes. */
  byte[] bytes(int length) throws IOException, MalformedException {
    long start = at;
    skip(length);
    byte[] bytes = new byte[length];
    pages.bytesWithin(start, bytes);
    return bytes;
  }

  /** Text of so many bytes. */
  String text(int bytes) throws IOException, MalformedException {
    return new String(bytes(bytes), StandardCharsets.UTF_8);
  }

  /** Text that a zero ends, or the end of the structure, or so many bytes. */
  String textToZero(int most) throws IOException, MalformedException {
    long start = at;
    int length = 0;
    while (left() > 0 && length < most && u8() != 0) {
      length++;
    }
    byte[] text = new byte[length];
    pages.bytesWithin(start, text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
