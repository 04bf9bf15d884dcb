// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;
import org.jspecify.annotations.Nullable;

/**
 * A message that several objects have in common: that of a committed type, or one that lies in a
 * heap of the file.
 *
 * <pre>
 * Shared 1 → 1, Type:8, 0:48, Name:length, Header:address
 * Shared 2 → 2, Type:8, Header:address
 * Shared 3 → 3, Type:8, Header:address            a committed type (type 2)
 *          | 3, 1, HeapId:64                      in the heap
 * Table    → "SMTB", (0, Kind:8, Types:16, Least:32, List:16, Tree:16, Count:16, Index, Heap)*
 * </pre>
 */
final class SharedMessage {
  private static final int IN_HEAP = 1;

  private SharedMessage() {}

  /** Where the message itself is. */
  static Cursor find(Metadata file, Message message) throws IOException, MalformedException {
    Cursor body = message.body(file);
    int version = body.u8();
    int type = body.u8();
    switch (version) {
      case 1 -> body.skip(6 + file.superblock().lengthBytes());
      case 2 -> {}
      case 3 -> {
        if (type == IN_HEAP) {
          return inHeap(file, message.type(), body);
        }
      }
      default ->
          throw new MalformedException(
              message.start(), "shared messages of version " + version + " are unknown");
    }
    return inHeader(file, body.address(), message.type());
  }

  private static Cursor inHeader(Metadata file, long header, int type)
      throws IOException, MalformedException {
    @Nullable Message found = first(file, header, type);
    // One that is shared again could go in a circle, and no library writes it.
    if (found == null || found.isShared()) {
      throw new MalformedException(header, "the shared message is not where it is said to be");
    }
    return found.body(file);
  }

  private static @Nullable Message first(Metadata file, long header, int type)
      throws IOException, MalformedException {
    @Nullable Message[] found = new Message[1];
    ObjectHeader.read(
        file,
        header,
        message -> {
          if (message.type() == type && found[0] == null) {
            found[0] = message;
          }
        });
    return found[0];
  }

  private static Cursor inHeap(Metadata file, int type, Cursor id)
      throws IOException, MalformedException {
    Message table = first(file, file.superblock().extension(), Message.SHARED_TABLE);
    if (table == null) {
      throw new MalformedException(id.at(), "the file has no table of shared messages");
    }
    Cursor where = table.body(file).skip(1);
    Cursor entries = file.from(where.address());
    int count = where.u8();
    if (entries.u32() != 0x42544D53) { // "SMTB"
      throw new MalformedException(entries.at(), "is no SMTB");
    }
    for (int i = 0; i < count; i++) {
      file.step();
      entries.skip(2);
      int types = entries.u16();
      entries.skip(10 + file.superblock().offsetBytes());
      long heap = entries.address();
      if ((types >> type & 1) != 0) {
        return FractalHeap.open(file, heap).object(id);
      }
    }
    throw new MalformedException(id.at(), "no heap has shared messages of type " + type);
  }
}
