// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/**
 * The links of a group that has no symbol table: few of them are messages of its header, many are
 * in a heap, where a tree leads to them.
 *
 * <pre>
 * Info   → 0, Flags:8, [Largest:64], Heap:address, Names:address, [Orders:address]
 * Record → Hash:32, HeapId
 * </pre>
 */
final class NewGroup {
  private static final int HASH_BYTES = 4;

  private NewGroup() {}

  /** Shows the links that a group has in its heap, if it has one. */
  static void linksInHeap(Metadata file, Cursor info, Link.Visitor visitor)
      throws IOException, MalformedException {
    int version = info.u8();
    if (version != 0) {
      throw new MalformedException(info.at(), "is a group of the unknown version " + version);
    }
    info.skip((info.u8() & 1) != 0 ? 8 : 0);
    long heapAt = info.address();
    if (heapAt == Cursor.UNDEFINED) {
      return;
    }
    FractalHeap heap = FractalHeap.open(file, heapAt);
    TreeTwo.records(file, info.address(), TreeTwo.LINKS_BY_NAME, new LinksInHeap(heap, visitor));
  }

  /** No lambda: its set-up takes longer than most groups. */
  private record LinksInHeap(FractalHeap heap, Link.Visitor visitor) implements TreeTwo.Visitor {
    @Override
    public void record(Cursor record) throws IOException, MalformedException {
      visitor.link(Link.read(heap.object(record.skip(HASH_BYTES))));
    }
  }

  /** Shows the links that are messages of a header. */
  static void linksInHeader(Metadata file, long header, Link.Visitor visitor)
      throws IOException, MalformedException {
    ObjectHeader.read(file, header, new LinksInHeader(file, visitor));
  }

  private record LinksInHeader(Metadata file, Link.Visitor visitor)
      implements ObjectHeader.Visitor {
    @Override
    public void message(Message message) throws IOException {
      if (message.type() == Message.LINK) {
        try {
          visitor.link(Link.read(file.body(message)));
        } catch (MalformedException e) {
          file.note(e);
        }
      }
    }
  }
}
