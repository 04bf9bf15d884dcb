// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/**
 * The links of an old group: names in a heap, the rest in nodes below a tree.
 *
 * <pre>
 * Message → Tree:address, Heap:address
 * Heap    → "HEAP", 0, 0:24, Size:length, Free:length, Data:address
 * Node    → "SNOD", 1, 0, Count:16, Entry{count}
 * Entry   → Name:length, Header:address, Kind:32, 0:32, Scratch:128
 * </pre>
 *
 * <p>The specification has names as wide as addresses; the library has them as wide as lengths.
 */
final class SymbolTable implements TreeOne.Leaf {
  private static final int SOFT = 2;
  private static final int SCRATCH_BYTES = 16;

  private final Metadata file;
  private final Cursor names;
  private final Link.Visitor visitor;

  private SymbolTable(Metadata file, Cursor names, Link.Visitor visitor) {
    this.file = file;
    this.names = names;
    this.visitor = visitor;
  }

  /** Shows the links of a group. */
  static void links(Metadata file, Cursor message, Link.Visitor visitor)
      throws IOException, MalformedException {
    long tree = message.address();
    SymbolTable table = new SymbolTable(file, heap(file, message.address()), visitor);
    TreeOne.entries(file, tree, TreeOne.GROUP, file.superblock().lengthBytes(), table);
  }

  /** The data of a local heap. */
  static Cursor heap(Metadata file, long at) throws IOException, MalformedException {
    file.step();
    Cursor header = file.from(at).expect("HEAP", 0).skip(3);
    long size = header.length();
    header.length();
    return file.bytes(header.address(), size);
  }

  /** A name in a local heap. */
  static String name(Cursor heap, long offset) throws IOException, MalformedException {
    if (offset >= heap.left()) {
      throw new MalformedException(heap.at(), "a name is not in its heap");
    }
    return heap.textToZero(offset, Link.LONGEST_NAME);
  }

  /** Shows the links of a node. */
  @Override
  public void entry(Cursor key, long at) throws IOException, MalformedException {
    Cursor node = file.from(at).expect("SNOD", 1).skip(1);
    file.claimNode(at);
    int count = node.u16();
    Superblock widths = file.superblock();
    int entryBytes = widths.lengthBytes() + widths.offsetBytes() + 8 + SCRATCH_BYTES;
    Cursor entries = file.bytes(node.at(), (long) count * entryBytes);
    for (int i = 0; i < count; i++) {
      file.step();
      long name = entries.length();
      long header = entries.address();
      long kind = entries.u32();
      long scratch = entries.skip(4).u32();
      entries.skip(SCRATCH_BYTES - 4);
      try {
        entry(name, header, kind, scratch);
      } catch (MalformedException e) {
        file.note(e);
      }
    }
  }

  private void entry(long nameAt, long header, long kind, long scratch)
      throws IOException, MalformedException {
    String name = name(names, nameAt);
    if (kind == SOFT) {
      visitor.link(Link.soft(name, name(names, scratch)));
    } else {
      visitor.link(Link.hard(name, header));
    }
  }
}
