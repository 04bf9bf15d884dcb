// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.util.Arrays;
import org.cairn.pack.locate.MalformedException;

/**
 * A heap of small objects in blocks of growing size, found by their offset in a space that the
 * blocks share.
 *
 * <pre>
 * Header   → "FRHP", 0, IdLength:16, FilterLength:16, Flags:8, Largest:32, …, Width:16, Start, LargestBlock,
 *            Bits:16, FirstRows:16, Root, Rows:16, …
 * Direct   → "FHDB", 0, Header, Offset, [Checksum], objects      the offset counts from the "FHDB"
 * Indirect → "FHIB", 0, Header, Offset, Direct:address*, Indirect:address*, Checksum
 * Id       → Version:2 Kind:2 0:4, Offset, Length
 * </pre>
 *
 * <p>An indirect block has rows of {@code width} blocks. Those of the first two rows have the size
 * {@code start}, those of each further row twice that of the row before; rows of blocks larger than
 * the largest direct one are indirect again.
 */
final class FractalHeap {
  private static final int MANAGED = 0;

  /** Rows of an indirect block double a size each, and there are 64 bits. */
  private static final int MOST_ROWS = 64;

  private final Metadata file;
  private final int offsetBytes;
  private final int lengthBytes;
  private final long width;
  private final long start;
  private final int directRows;
  private final long root;
  private final int rows;

  /** Where blocks right below the root are, by their number, as far as that is known. */
  private final long[] known = new long[1 << 6];

  private FractalHeap(Metadata file, Cursor header) throws IOException, MalformedException {
    this.file = file;
    Arrays.fill(known, Cursor.UNDEFINED);
    header.skip(2);
    int filters = header.u16();
    header.skip(1);
    long largest = header.u32();
    int lengths = file.superblock().lengthBytes();
    int addresses = file.superblock().offsetBytes();
    // Of huge objects, free space, and how much there is of everything.
    header.skip(10L * lengths + 2L * addresses);
    this.width = powerOfTwo(header, header.u16());
    this.start = powerOfTwo(header, header.length());
    long largestBlock = powerOfTwo(header, header.length());
    int bits = header.u16();
    header.skip(2);
    this.root = header.address();
    this.rows = header.u16();
    this.directRows = log2(largestBlock) - log2(start) + 2;
    this.offsetBytes = (bits + 7) / 8;
    this.lengthBytes = Math.min((log2(largestBlock) + 7) / 8, log2(Math.max(1, largest)) / 8 + 1);
    if (filters != 0 || bits > Long.SIZE - 2 || rows > MOST_ROWS || largestBlock < start) {
      throw new MalformedException(header.at(), "has a heap that is not understood");
    }
  }

  /** The heap with a header at a place. */
  static FractalHeap open(Metadata file, long at) throws IOException, MalformedException {
    file.step();
    return new FractalHeap(file, file.from(at).expect("FRHP", 0));
  }

  /** The object that an identifier names. */
  Cursor object(Cursor id) throws IOException, MalformedException {
    long at = id.at();
    int kind = id.u8() >> 4 & 3;
    if (kind != MANAGED) {
      throw new MalformedException(at, "is in a part of a heap that is not understood");
    }
    long offset = id.count(offsetBytes);
    long length = id.count(lengthBytes);
    return place(offset, length);
  }

  private Cursor place(long offset, long length) throws IOException, MalformedException {
    long block = root;
    long within = offset;
    int blockRows = rows;
    while (blockRows > 0) {
      file.step();
      int row = within < start * width ? 0 : log2(within) - log2(start * width) + 1;
      if (row >= blockRows) {
        throw new MalformedException(block, "a heap does not have what is looked for");
      }
      long size = row == 0 ? start : start << row - 1;
      within -= row == 0 ? 0 : size * width;
      long index = row * width + within / size;
      within %= size;
      boolean direct = row < directRows;
      if (direct && block == root && index < known.length) {
        return file.bytes(known((int) index) + within, length);
      }
      block = child(block, index);
      blockRows = direct ? 0 : rowsOf(block, size, blockRows);
    }
    file.from(block).expect("FHDB", 0);
    return file.bytes(block + within, length);
  }

  /**
   * A block right below the root; those of a group of many links are looked for again and again.
   */
  private long known(int index) throws IOException, MalformedException {
    if (known[index] == Cursor.UNDEFINED) {
      long block = child(root, index);
      file.from(block).expect("FHDB", 0);
      known[index] = block;
    }
    return known[index];
  }

  /** Rows get fewer from one indirect block to the next, so that there is an end. */
  private int rowsOf(long block, long size, int above) throws MalformedException {
    int below = log2(size) - log2(start * width) + 1;
    if (below < 1 || below >= above) {
      throw new MalformedException(block, "has a heap of absurd shape");
    }
    return below;
  }

  private long child(long block, long index) throws IOException, MalformedException {
    Cursor indirect = file.from(block).expect("FHIB", 0);
    int addressBytes = file.superblock().offsetBytes();
    indirect.skip(addressBytes + offsetBytes);
    return indirect.skip(index * addressBytes).address();
  }

  private static long powerOfTwo(Cursor at, long value) throws MalformedException {
    if (Long.bitCount(value) != 1 || value > 1L << 40) {
      throw new MalformedException(at.at(), "has a heap of absurd shape");
    }
    return value;
  }

  private static int log2(long value) {
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
  }
}
