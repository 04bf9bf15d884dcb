// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/**
 * An index of chunks whose number cannot grow.
 *
 * <pre>
 * Header → "FAHD", 0, Client:8, ElementSize:8, PageBits:8, Count:length, Block:address, Checksum
 * Block  → "FADB", 0, Client:8, Header:address, Element{count}, Checksum              few elements
 *        | "FADB", 0, Client:8, Header:address, Bitmap, Checksum, Pages               many
 * </pre>
 */
final class FixedArray {
  private final Metadata file;
  private final ChunkArray array;
  private final long count;
  private final long block;

  FixedArray(Metadata file, long at) throws IOException, MalformedException {
    file.step();
    Cursor header = file.from(at).expect("FAHD", 0);
    this.file = file;
    this.array = new ChunkArray(file, at, header.u8(), header.u8(), header.u8());
    this.count = header.length();
    this.block = header.address();
  }

  /** Shows all elements. */
  void elements(ChunkArray.Visitor visitor) throws IOException, MalformedException {
    if (block == Cursor.UNDEFINED) {
      return;
    }
    Cursor start = file.from(block).expect("FADB", 0);
    file.claimNode(block);
    long at = start.skip(1 + file.superblock().offsetBytes()).at();
    if (count <= array.pageElements()) {
      array.elements(at, 0, count, visitor);
    } else {
      long pages = Math.ceilDiv(count, array.pageElements());
      long bitmapBytes = Math.ceilDiv(pages, Byte.SIZE);
      array.pages(at + bitmapBytes + ChunkArray.CHECKSUM_BYTES, 0, count, at, 0, visitor);
    }
  }
}
