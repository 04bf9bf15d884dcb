// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/**
 * An index of chunks that grows along one axis.
 *
 * <pre>
 * Header → "EAHD", 0, Client:8, ElementSize:8, Bits:8, Direct:8, LeastElements:8, LeastBlocks:8, PageBits:8,
 *          Supers:length, …:length{3}, Count:length, Realised:length, Index:address, Checksum
 * Index  → "EAIB", 0, Client:8, Header:address, Element{direct}, Block:address*, Super:address*, Checksum
 * Super  → "EASB", 0, Client:8, Header:address, Offset, Bitmap*, Block:address*, Checksum
 * Block  → "EADB", 0, Client:8, Header:address, Offset, Element*, Checksum
 *        | "EADB", 0, Client:8, Header:address, Offset, Checksum, Pages
 * </pre>
 *
 * <p>Behind the first, direct elements the others lie in blocks, and blocks belong to super blocks:
 * the one of number {@code s} has 2^⌊s/2⌋ blocks of {@code leastElements} × 2^⌈s/2⌉ elements. The
 * blocks of the first of them, up to the one that would have {@code leastBlocks}, are in the index
 * itself.
 */
final class ExtensibleArray {
  /** More elements than two to the power of this no file has, and sums of them have room. */
  private static final int MOST_BITS = 56;

  private final Metadata file;
  private final ChunkArray array;
  private final int offsetBytes;
  private final int direct;
  private final int leastElements;
  private final int supers;
  private final int supersInIndex;
  private final long count;
  private final long index;

  ExtensibleArray(Metadata file, long at) throws IOException, MalformedException {
    file.step();
    Cursor header = file.from(at).expect("EAHD", 0);
    int client = header.u8();
    int elementBytes = header.u8();
    int bits = header.u8();
    this.file = file;
    this.direct = header.u8();
    this.leastElements = header.u8();
    int leastBlocks = header.u8();
    this.array = new ChunkArray(file, at, client, elementBytes, header.u8());
    if (Integer.bitCount(leastElements) != 1
        || Integer.bitCount(leastBlocks) != 1
        || bits > MOST_BITS) {
      throw new MalformedException(at, "has an index of chunks that is not understood");
    }
    this.offsetBytes = Math.ceilDiv(bits, Byte.SIZE);
    this.supers = 1 + bits - Integer.numberOfTrailingZeros(leastElements);
    this.supersInIndex = 2 * Integer.numberOfTrailingZeros(leastBlocks);
    header.skip(4L * file.superblock().lengthBytes());
    this.count = header.length();
    header.length();
    this.index = header.address();
  }

  /** Shows the elements that were ever used. */
  void elements(ChunkArray.Visitor visitor) throws IOException, MalformedException {
    if (index == Cursor.UNDEFINED) {
      return;
    }
    Cursor block = start(index, "EAIB", 0);
    array.elements(block.at(), 0, Math.min(direct, count), visitor);
    block.skip((long) direct * array.elementBytes());
    long first = direct;
    for (int number = 0; number < supers && first < count; number++) {
      long blocks = 1L << number / 2;
      long elements = (long) leastElements << (number + 1) / 2;
      if (number < supersInIndex) {
        blocks(block, first, blocks, elements, Cursor.UNDEFINED, visitor);
      } else {
        guarded(superBlock(block.address(), first, blocks, elements, visitor));
      }
      first += blocks * elements;
    }
  }

  private Part superBlock(
      long at, long first, long blocks, long elements, ChunkArray.Visitor visitor) {
    return () -> {
      if (at == Cursor.UNDEFINED) {
        return;
      }
      Cursor block = start(at, "EASB", offsetBytes);
      long bitmap = block.at();
      if (isPaged(elements)) {
        // Bytes for each block by itself, though bits are counted through.
        block.skip(blocks * Math.ceilDiv(elements / array.pageElements(), Byte.SIZE));
      }
      blocks(block, first, blocks, elements, bitmap, visitor);
    };
  }

  /** Shows blocks whose addresses are side by side. */
  private void blocks(
      Cursor addresses,
      long first,
      long blocks,
      long elements,
      long bitmap,
      ChunkArray.Visitor visitor)
      throws IOException, MalformedException {
    for (long i = 0; i < blocks && first + i * elements < count; i++) {
      file.step();
      long at = addresses.address();
      long number = i;
      if (at != Cursor.UNDEFINED) {
        guarded(() -> block(at, first, number, elements, bitmap, visitor));
      }
    }
  }

  private void block(
      long at, long first, long number, long elements, long bitmap, ChunkArray.Visitor visitor)
      throws IOException, MalformedException {
    Cursor block = start(at, "EADB", offsetBytes);
    long start = first + number * elements;
    long used = Math.min(elements, count - start);
    if (!isPaged(elements)) {
      array.elements(block.at(), start, used, visitor);
    } else if (bitmap == Cursor.UNDEFINED) {
      throw new MalformedException(at, "has pages where none can be");
    } else {
      long pages = elements / array.pageElements();
      array.pages(
          block.at() + ChunkArray.CHECKSUM_BYTES, start, used, bitmap, number * pages, visitor);
    }
  }

  private boolean isPaged(long elements) {
    return elements > array.pageElements();
  }

  private Cursor start(long at, String signature, int offset)
      throws IOException, MalformedException {
    Cursor block = file.from(at).expect(signature, 0);
    file.claimNode(at);
    return block.skip(1L + file.superblock().offsetBytes() + offset);
  }

  /** A part without which the others can do. */
  private interface Part {
    void show() throws IOException, MalformedException;
  }

  private void guarded(Part part) throws IOException {
    try {
      part.show();
    } catch (MalformedException e) {
      file.note(e);
    }
  }
}
