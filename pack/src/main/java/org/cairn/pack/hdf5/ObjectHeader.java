// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.cairn.pack.locate.MalformedException;
import org.jspecify.annotations.Nullable;

/**
 * The messages of an object, in one block or several.
 *
 * <pre>
 * Header 1 → 1, 0, Count:16, References:32, Size:32, 0:32, Message*
 * Message  → Type:16, Size:16, Flags:8, 0:24, Body
 * Header 2 → "OHDR", 2, Flags:8, [Times:128], [Phases:32], Size, Message*, Gap, Checksum
 * Message  → Type:8, Size:16, Flags:8, [Order:16], Body
 * More 1   → Message*                                  where a message of type 0x10 leads
 * More 2   → "OCHK", Message*, Gap, Checksum
 * </pre>
 */
final class ObjectHeader {
  /** An object in more blocks than this is none. */
  private static final int MOST_BLOCKS = 1 << 16;

  private static final int CHECKSUM_BYTES = 4;
  private static final int WITH_ORDER = 0x04;
  private static final int WITH_PHASES = 0x10;
  static final int WITH_TIMES = 0x20;

  private final Metadata file;
  private final Visitor visitor;

  /** Where the header goes on; most headers do not. */
  private @Nullable Deque<Cursor> more;

  private @Nullable Set<Long> places;

  /** Looks at messages. */
  interface Visitor {
    void message(Message message) throws IOException, MalformedException;
  }

  private ObjectHeader(Metadata file, Visitor visitor) {
    this.file = file;
    this.visitor = visitor;
  }

  /**
   * Shows the messages of the header at a place, also those that say where it goes on.
   *
   * @return where its first block ends
   */
  static long read(Metadata file, long at, Visitor visitor) throws IOException, MalformedException {
    ObjectHeader header = new ObjectHeader(file, visitor);
    Cursor start = file.from(at);
    if (start.u8() == 1) {
      return header.first(start);
    }
    return header.second(file.from(at));
  }

  private long first(Cursor start) throws IOException, MalformedException {
    start.skip(1);
    int count = start.u16();
    start.skip(4);
    long size = start.u32();
    start.skip(4);
    Cursor first = file.bytes(start.at(), size);
    for (Cursor block = first; block != null; block = nextBlock()) {
      while (count > 0 && block.left() >= Long.BYTES) {
        count--;
        long head = block.number(Long.BYTES);
        show(block, (int) head & 0xFFFF, (int) (head >> 32) & 0xFF, (int) (head >> 16) & 0xFFFF);
      }
    }
    return first.end();
  }

  private long second(Cursor start) throws IOException, MalformedException {
    start.expect("OHDR", 2);
    int flags = start.u8();
    start.skip((flags & WITH_TIMES) != 0 ? 16 : 0);
    start.skip((flags & WITH_PHASES) != 0 ? 4 : 0);
    long size = start.count(1 << (flags & 3));
    int orderBytes = (flags & WITH_ORDER) != 0 ? 2 : 0;
    Cursor first = file.bytes(start.at(), size);
    messages(first, orderBytes);
    for (Cursor block = nextBlock(); block != null; block = nextBlock()) {
      messages(inside(block), orderBytes);
    }
    return first.end();
  }

  private Cursor inside(Cursor block) throws IOException, MalformedException {
    if (block.u32() != 0x4B48434F) { // "OCHK"
      throw new MalformedException(block.at(), "is no OCHK");
    }
    return file.within(block.at(), block.end() - CHECKSUM_BYTES);
  }

  private void messages(Cursor block, int orderBytes) throws IOException, MalformedException {
    while (block.left() >= 4 + orderBytes) {
      int head = (int) block.u32();
      show(block.skip(orderBytes), head & 0xFF, head >>> 24, head >> 8 & 0xFFFF);
    }
  }

  /** Shows one message, and goes behind it. */
  private void show(Cursor block, int type, int flags, int length)
      throws IOException, MalformedException {
    file.step();
    long start = block.at();
    block.skip(length);
    if (type == Message.CONTINUATION) {
      continued(file.within(start, start + length));
    }
    visitor.message(new Message(type, flags, start, start + length));
  }

  private void continued(Cursor body) throws IOException, MalformedException {
    long at = body.address();
    Cursor block = file.bytes(at, body.length());
    if (more == null || places == null) {
      more = new ArrayDeque<>();
      places = new HashSet<>();
    }
    if (!places.add(at) || places.size() > MOST_BLOCKS) {
      throw new MalformedException(at, "the header goes on in a circle");
    }
    more.add(block);
  }

  private @Nullable Cursor nextBlock() {
    return more == null ? null : more.poll();
  }
}
