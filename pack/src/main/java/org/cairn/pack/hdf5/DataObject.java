// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;
import org.jspecify.annotations.Nullable;

/** What a header says of its object, as far as data can be found by it. */
record DataObject(
    @Nullable Message dataspace,
    @Nullable Message datatype,
    @Nullable Message layout,
    @Nullable Message filters,
    @Nullable Message fill,
    @Nullable Message oldFill,
    @Nullable Message externalFiles,
    @Nullable Message symbolTable,
    @Nullable Message linkInfo,
    boolean hasLinks) {

  /** Reads the header at a place. */
  static DataObject read(Metadata file, long at) throws IOException, MalformedException {
    Builder builder = new Builder();
    ObjectHeader.read(file, at, builder);
    return builder.build();
  }

  /** Whether it has data. */
  boolean isDataset() {
    return layout != null;
  }

  /** Whether it leads to other objects. */
  boolean isGroup() {
    return symbolTable != null || linkInfo != null || hasLinks;
  }

  /** Takes the first message of each type. */
  private static final class Builder implements ObjectHeader.Visitor {
    private final @Nullable Message[] firsts = new Message[Message.SYMBOL_TABLE + 1];

    @Override
    public void message(Message message) {
      int type = message.type();
      if (type < firsts.length && firsts[type] == null) {
        firsts[type] = message;
      }
    }

    DataObject build() {
      return new DataObject(
          firsts[Message.DATASPACE],
          firsts[Message.DATATYPE],
          firsts[Message.LAYOUT],
          firsts[Message.FILTERS],
          firsts[Message.FILL],
          firsts[Message.OLD_FILL],
          firsts[Message.EXTERNAL_FILES],
          firsts[Message.SYMBOL_TABLE],
          firsts[Message.LINK_INFO],
          firsts[Message.LINK] != null);
    }
  }
}
