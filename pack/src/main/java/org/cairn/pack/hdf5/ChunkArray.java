// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/** What both arrays that lead to chunks have in common: elements, perhaps by pages. */
final class ChunkArray {
  static final int CHECKSUM_BYTES = 4;

  private static final int FILTERED = 1;

  private final Metadata file;
  private final boolean filtered;
  private final int elementBytes;
  private final long pageElements;

  /**
   * Takes elements.
   *
   * <pre>
   * Element → Chunk:address, [Size, Mask:32]       in [ ]: if filtered
   * </pre>
   */
  interface Visitor {
    void element(long number, Cursor element, boolean filtered)
        throws IOException, MalformedException;
  }

  ChunkArray(Metadata file, long at, int client, int elementBytes, int pageBits)
      throws MalformedException {
    if (client > FILTERED || elementBytes == 0 || pageBits > 32) {
      throw new MalformedException(at, "has an index of chunks that is not understood");
    }
    this.file = file;
    this.filtered = client == FILTERED;
    this.elementBytes = elementBytes;
    this.pageElements = 1L << pageBits;
  }

  int elementBytes() {
    return elementBytes;
  }

  /** How many elements a page has. */
  long pageElements() {
    return pageElements;
  }

  /** Shows elements that lie side by side. */
  void elements(long at, long first, long count, Visitor visitor)
      throws IOException, MalformedException {
    Cursor elements = file.bytes(at, bytes(count));
    for (long i = 0; i < count; i++) {
      file.step();
      Cursor element = file.bytes(elements.at(), elementBytes);
      elements.skip(elementBytes);
      try {
        visitor.element(first + i, element, filtered);
      } catch (MalformedException e) {
        file.note(e);
      }
    }
  }

  /**
   * Shows elements that lie in pages, of which only those count that have a bit set.
   *
   * <pre>
   * Pages → (Element{pageElements}, Checksum)*            the last one may be shorter
   * </pre>
   */
  void pages(long at, long first, long count, long bitmap, long firstBit, Visitor visitor)
      throws IOException, MalformedException {
    // All pages have their room, used or not.
    file.bytes(at, bytes(count));
    long pageBytes = bytes(pageElements) + CHECKSUM_BYTES;
    for (long page = 0; page * pageElements < count; page++) {
      file.step();
      if (isSet(bitmap, firstBit + page)) {
        long done = page * pageElements;
        elements(
            at + page * pageBytes, first + done, Math.min(pageElements, count - done), visitor);
      }
    }
  }

  private boolean isSet(long bitmap, long bit) throws IOException, MalformedException {
    return (file.from(bitmap).skip(bit >> 3).u8() << (bit & 7) & 0x80) != 0;
  }

  /** How many bytes elements take; absurd numbers of them take more than any file has. */
  private long bytes(long count) {
    return count > Cursor.FAR / elementBytes ? Cursor.FAR : count * elementBytes;
  }
}
