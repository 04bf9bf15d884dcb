// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
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
      throw cutOff();
    }
    at += bytes;
    return this;
  }

  private MalformedException cutOff() {
    return new MalformedException(at, "is cut off");
  }

  /** A number of up to 8 bytes; of 8, it may be negative. */
  long number(int bytes) throws IOException, MalformedException {
    long start = at;
    if (bytes > end - start) {
      throw cutOff();
    }
    at = start + bytes;
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
    int wanted = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      wanted |= signature.charAt(i) << Byte.SIZE * i;
    }
    if (u32() != wanted) {
      throw new MalformedException(start, "is no " + signature);
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
    long start = at;
    skip(bytes);
    return pages.textWithin(start, bytes);
  }

  /** Text that a zero ends, or the end of the structure, or so many bytes. */
  String textToZero(int most) throws IOException, MalformedException {
    int within = (int) Math.min(most, left());
    int length = pages.bytesToZero(at, within);
    String text = text(length);
    skip(length < within ? 1 : 0);
    return text;
  }

  /** Such text behind some bytes that are left, without going there. */
  String textToZero(long behind, int most) throws IOException {
    int within = (int) Math.min(most, left() - behind);
    return pages.textToZero(at + behind, within);
  }

  /** Reads the same again, from where this one is. */
  Cursor copy() {
    return new Cursor(pages, superblock, at, end);
  }
}
