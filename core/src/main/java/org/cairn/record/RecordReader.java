// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.cairn.CorruptContainerException;
import org.cairn.supply.Supply;

/**
 * Reads one record: a message, or a part of a file whose checksum has been verified. Whoever made
 * the file may have made the checksum too: every read stays inside the record, and whatever is
 * impossible is refused.
 */
public final class RecordReader {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment bytes;
  private final String file;
  private final long offset;
  private long position;

  /**
   * Reads a record.
   *
   * @param file where it comes from, for messages
   * @param offset where it begins there
   */
  public RecordReader(MemorySegment bytes, String file, long offset) {
    this.bytes = bytes;
    this.file = file;
    this.offset = offset;
  }

  /** Reads a message that somebody sent. */
  public static RecordReader of(byte[] message, String origin) {
    return new RecordReader(MemorySegment.ofArray(message), origin, 0);
  }

  /** Makes something of a record. */
  public interface Parser<T> {
    /** Reads it; refuses what makes no sense with any of the usual exceptions. */
    T parse(RecordReader in) throws IOException;
  }

  /**
   * Lets {@code parser} read a message.
   *
   * @throws CorruptContainerException also if the parser refuses a value as impossible
   */
  public static <T> T parse(byte[] message, String origin, Parser<T> parser) throws IOException {
    RecordReader in = of(message, origin);
    try {
      return parser.parse(in);
    } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
      CorruptContainerException refusal = in.corrupt("it makes no sense: " + e.getMessage());
      refusal.initCause(e);
      throw refusal;
    }
  }

  /** Where the record comes from. */
  public String file() {
    return file;
  }

  /** How many bytes are left. */
  public long remaining() {
    return bytes.byteSize() - position;
  }

  /** An unsigned number of 8 bits. */
  public int getByte() throws CorruptContainerException {
    need(1);
    return bytes.get(ValueLayout.JAVA_BYTE, position++) & 0xFF;
  }

  /** An unsigned number of 16 bits. */
  public int getShort() throws CorruptContainerException {
    return getByte() | getByte() << 8;
  }

  /** A number of 32 bits. */
  public int getInt() throws CorruptContainerException {
    need(4);
    int value = bytes.get(INT, position);
    position += 4;
    return value;
  }

  /** A count of things of which each takes at least {@code bytesEach} bytes of this record. */
  public int getCount(int bytesEach) throws CorruptContainerException {
    int count = getInt();
    if (count < 0 || (long) count * bytesEach > remaining()) {
      throw corrupt("a count of " + Integer.toUnsignedString(count) + " does not fit the record");
    }
    return count;
  }

  /** A number of 64 bits. */
  public long getLong() throws CorruptContainerException {
    need(8);
    long value = bytes.get(LONG, position);
    position += 8;
    return value;
  }

  /** So many numbers of 64 bits. */
  public void getLongs(long[] into, int count) throws CorruptContainerException {
    need(8L * count);
    MemorySegment.copy(bytes, LONG, position, into, 0, count);
    position += 8L * count;
  }

  /** A number of 32 bits that is not negative. */
  public int getNumber(String what) throws CorruptContainerException {
    int value = getInt();
    if (value < 0) {
      throw corrupt("%s %s".formatted(what, Integer.toUnsignedString(value)));
    }
    return value;
  }

  /** A number of 64 bits that is not negative. */
  public long getLongNumber(String what) throws CorruptContainerException {
    long value = getLong();
    if (value < 0) {
      throw corrupt("%s %s".formatted(what, Long.toUnsignedString(value)));
    }
    return value;
  }

  /** A number of up to 63 bits, 7 bits a byte, lowest first. */
  public long getVarint() throws CorruptContainerException {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      int next = getByte();
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw corrupt("a number that does not end");
  }

  /** A number of up to 31 bits, 7 bits a byte. */
  public int getSmallVarint(String what) throws CorruptContainerException {
    long value = getVarint();
    if (value > Integer.MAX_VALUE) {
      throw corrupt("%s of %d".formatted(what, value));
    }
    return (int) value;
  }

  /** So many bytes. */
  public byte[] getBytes(int length) throws CorruptContainerException {
    need(length);
    byte[] raw = Supply.bytes(length);
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, position, raw, 0, length);
    position += length;
    return raw;
  }

  /** Bytes with their number before them. */
  public byte[] getCounted() throws CorruptContainerException {
    return getBytes(getCount(1));
  }

  /** All bytes that are left. */
  public byte[] getRest() throws CorruptContainerException {
    if (remaining() > Integer.MAX_VALUE - 8) {
      throw corrupt("a record of " + remaining() + " bytes");
    }
    return getBytes((int) remaining());
  }

  /** The next bytes as they lie, not copied: for what travels in bulk behind its header. */
  public MemorySegment getMemory(long length) throws CorruptContainerException {
    return bytes.asSlice(skip(length), length);
  }

  /** Passes over the next bytes; says where in the record they begin. */
  public long skip(long length) throws CorruptContainerException {
    need(length);
    long start = position;
    position += length;
    return start;
  }

  /** The next bytes as a record of their own. */
  public RecordReader getRecord(long length) throws CorruptContainerException {
    need(length);
    RecordReader part = new RecordReader(bytes.asSlice(position, length), file, offset + position);
    position += length;
    return part;
  }

  /** A record with its length before it. */
  public RecordReader getCountedRecord() throws CorruptContainerException {
    return getRecord(getCount(1));
  }

  /** A text, UTF-8, with its length in bytes before it. */
  public String getText() throws CorruptContainerException {
    return decode(getCounted());
  }

  /** All that is left as a text. */
  public String getRestAsText() throws CorruptContainerException {
    return decode(getRest());
  }

  private String decode(byte[] utf8) throws CorruptContainerException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw corrupt("a name is not UTF-8");
    }
  }

  /** Refuses a record that does not begin with this tag. */
  public void expectTag(int tag, String what) throws CorruptContainerException {
    int found = getInt();
    if (found != tag) {
      throw corrupt("expected %s (tag %08x), found tag %08x".formatted(what, tag, found));
    }
  }

  /** Refuses a record with more in it. */
  public void expectEnd() throws CorruptContainerException {
    if (remaining() != 0) {
      throw corrupt(remaining() + " bytes too many in a record");
    }
  }

  /** Damage at this place. */
  public CorruptContainerException corrupt(String what) {
    return new CorruptContainerException(file, offset + position, what);
  }

  private void need(long count) throws CorruptContainerException {
    if (count < 0) {
      throw corrupt("a part of " + count + " bytes");
    }
    if (count > remaining()) {
      throw corrupt("a record of " + bytes.byteSize() + " bytes ends too early");
    }
  }
}
