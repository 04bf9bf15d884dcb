// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/**
 * What an HDF5 file begins with: perhaps a user block, then
 *
 * <pre>
 * Superblock → Signature, Version, …, Base, …, Root       base: as the file says it, not used
 * </pre>
 *
 * @param base where the superblock was found; all addresses count from there. The library goes by
 *     this, too, and not by what is written, which is wrong after a user block was added.
 * @param offsetBytes how wide addresses are
 * @param lengthBytes how wide lengths are
 * @param root where the header of the root group is
 * @param extension where more messages about the file are, if anywhere
 */
record Superblock(long base, int offsetBytes, int lengthBytes, long root, long extension) {
  private static final long SIGNATURE = 0x0A1A0A0D46444889L;

  /** The first place of a superblock behind a user block; the next are at its doubles. */
  private static final long FIRST_USER_BLOCK = 512;

  /** Where the superblock is, or −1 if there is none. */
  static long find(Pages pages) throws IOException {
    try {
      long at = 0;
      while (pages.holds(at, Long.BYTES)) {
        if (pages.number(at, Long.BYTES) == SIGNATURE) {
          return at;
        }
        at = at == 0 ? FIRST_USER_BLOCK : 2 * at;
      }
      return -1;
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /** Reads it. */
  static Superblock read(Pages pages) throws IOException, MalformedException {
    long base = find(pages);
    if (base < 0) {
      throw new MalformedException(0, "is no HDF5 file");
    }
    int version = (int) pages.number(base + Long.BYTES, 1);
    return switch (version) {
      case 0 -> old(pages, base, 24);
      case 1 -> old(pages, base, 28);
      case 2, 3 -> recent(pages, base);
      default ->
          throw new MalformedException(base, "the superblock has the unknown version " + version);
    };
  }

  private static Superblock old(Pages pages, long base, int fixedBytes)
      throws IOException, MalformedException {
    Superblock widths = widths(pages, base, 13);
    Cursor cursor = new Cursor(pages, widths, base + fixedBytes, pages.size());
    // Base, free space, end of file, driver; then the entry of the root: its name, its header.
    cursor.skip(4L * widths.offsetBytes + widths.lengthBytes);
    return new Superblock(
        base, widths.offsetBytes, widths.lengthBytes, cursor.address(), Cursor.UNDEFINED);
  }

  private static Superblock recent(Pages pages, long base) throws IOException, MalformedException {
    Superblock widths = widths(pages, base, 9);
    Cursor cursor = new Cursor(pages, widths, base + 12, pages.size());
    cursor.skip(widths.offsetBytes);
    long extension = cursor.address();
    cursor.skip(widths.offsetBytes);
    return new Superblock(
        base, widths.offsetBytes, widths.lengthBytes, cursor.address(), extension);
  }

  private static Superblock widths(Pages pages, long base, int at)
      throws IOException, MalformedException {
    return new Superblock(
        base,
        width(pages, base + at),
        width(pages, base + at + 1),
        Cursor.UNDEFINED,
        Cursor.UNDEFINED);
  }

  private static int width(Pages pages, long at) throws IOException, MalformedException {
    int width = (int) pages.number(at, 1);
    if (width != 2 && width != 4 && width != 8) {
      throw new MalformedException(at, "addresses or lengths of " + width + " bytes are unknown");
    }
    return width;
  }
}
