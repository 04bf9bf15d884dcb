// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Makes files with layout messages of versions 1 and 2, which libraries before 1.6.3 wrote and all
 * read: each header with a message of version 3 is copied to the end of the file with the older
 * message, and what led to the header leads there.
 */
final class OldLayouts {
  private static final int LAYOUT = 0x08;
  private static final int PREFIX = 16;
  private static final int MESSAGE_HEADER = 8;

  private ByteBuffer file;

  private OldLayouts(Bytes bytes) {
    this.file = little(bytes.bytes().clone());
  }

  static Bytes rewrite(Bytes bytes, int version) {
    OldLayouts rewriter = new OldLayouts(bytes);
    int rewritten = 0;
    // Entries of symbol tables: a name, a header, no cache.
    for (int node = bytes.indexOf("SNOD", 0); node >= 0; node = bytes.indexOf("SNOD", node + 1)) {
      int count = rewriter.file.getShort(node + 6);
      for (int i = 0; i < count; i++) {
        rewriter.move(node + 8 + 40 * i + 8, version);
        rewritten++;
      }
    }
    if (rewritten == 0) {
      throw new IllegalStateException("nothing to rewrite");
    }
    return new Bytes(rewriter.file.array());
  }

  private void move(int pointer, int version) {
    int header = (int) file.getLong(pointer);
    int size = file.getInt(header + 8);
    ByteBuffer copy = little(new byte[PREFIX + size + 64]);
    copy.put(file.array(), header, PREFIX);
    int count = file.getShort(header + 2);
    int at = header + PREFIX;
    for (int i = 0; i < count; i++) {
      int length = file.getShort(at + 2);
      if (file.getShort(at) == LAYOUT) {
        byte[] old = older(at + MESSAGE_HEADER, version);
        copy.putShort((short) LAYOUT).putShort((short) old.length).putInt(file.getInt(at + 4));
        copy.put(old);
      } else {
        copy.put(file.array(), at, MESSAGE_HEADER + length);
      }
      at += MESSAGE_HEADER + length;
      if (at >= header + PREFIX + size && i + 1 < count) {
        throw new IllegalStateException("a header in several blocks");
      }
    }
    copy.putInt(8, copy.position() - PREFIX);
    append(pointer, Arrays.copyOf(copy.array(), copy.position()));
  }

  private void append(int pointer, byte[] header) {
    int end = file.capacity();
    int start = (end + 7) / 8 * 8;
    file = little(Arrays.copyOf(file.array(), start + header.length));
    file.put(start, header);
    file.putLong(pointer, start);
    // The end of the file, in the superblock.
    file.putLong(40, file.capacity());
  }

  /** Of a layout message of version 3 one of version 1 or 2. */
  private byte[] older(int at, int version) {
    int kind = file.get(at + 1);
    ByteBuffer old = little(new byte[256]);
    old.put((byte) version);
    switch (kind) {
      case Zoo.COMPACT -> {
        int size = file.getShort(at + 2);
        old.put((byte) 1).put((byte) kind).put(new byte[5]);
        old.putInt(size / 8).putInt(size).put(file.array(), at + 4, size);
      }
      case Zoo.CONTIGUOUS -> {
        old.put((byte) 2).put((byte) kind).put(new byte[5]);
        old.putLong(file.getLong(at + 2)).putInt(3).putInt(5);
      }
      default -> {
        int rank = file.get(at + 2);
        old.put((byte) rank).put((byte) kind).put(new byte[5]);
        old.put(file.array(), at + 3, 8 + 4 * rank);
      }
    }
    return Arrays.copyOf(old.array(), (old.position() + 7) / 8 * 8);
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
