// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;
import org.jspecify.annotations.Nullable;

/** What a header says of its object, as far as data can be found by it. */
final class DataObject implements ObjectHeader.Visitor {
  /** So many messages are kept in their order; of the others only the first of each type. */
  private static final int MOST_IN_ORDER = 16;

  private final long at;
  private final @Nullable Message[] firsts = new Message[Message.SYMBOL_TABLE + 1];
  private final @Nullable Message[] inOrder = new Message[MOST_IN_ORDER];
  private int count;
  private long headerEnd;

  private DataObject(long at) {
    this.at = at;
  }

  /** Reads the header at a place. */
  static DataObject read(Metadata file, long at) throws IOException, MalformedException {
    DataObject object = new DataObject(at);
    object.headerEnd = ObjectHeader.read(file, at, object);
    return object;
  }

  @Override
  public void message(Message message) {
    int type = message.type();
    if (type < firsts.length && firsts[type] == null) {
      firsts[type] = message;
    }
    if (count < MOST_IN_ORDER) {
      inOrder[count] = message;
    }
    count++;
  }

  /** Where the header is. */
  long at() {
    return at;
  }

  /** How long the first block of the header is. */
  long headerBytes() {
    return headerEnd - at;
  }

  /** How many messages there are. */
  int messages() {
    return count;
  }

  /** One of them; nothing if there are too many. */
  @Nullable Message message(int number) {
    return number < MOST_IN_ORDER ? inOrder[number] : null;
  }

  @Nullable Message dataspace() {
    return firsts[Message.DATASPACE];
  }

  @Nullable Message datatype() {
    return firsts[Message.DATATYPE];
  }

  @Nullable Message layout() {
    return firsts[Message.LAYOUT];
  }

  @Nullable Message filters() {
    return firsts[Message.FILTERS];
  }

  @Nullable Message fill() {
    return firsts[Message.FILL];
  }

  @Nullable Message oldFill() {
    return firsts[Message.OLD_FILL];
  }

  @Nullable Message externalFiles() {
    return firsts[Message.EXTERNAL_FILES];
  }

  @Nullable Message symbolTable() {
    return firsts[Message.SYMBOL_TABLE];
  }

  @Nullable Message linkInfo() {
    return firsts[Message.LINK_INFO];
  }

  /** Whether it has data. */
  boolean isDataset() {
    return layout() != null;
  }

  /** Whether links are among its messages. */
  boolean hasLinks() {
    return firsts[Message.LINK] != null;
  }

  /** Whether it leads to other objects. */
  boolean isGroup() {
    return symbolTable() != null || linkInfo() != null || hasLinks();
  }
}
