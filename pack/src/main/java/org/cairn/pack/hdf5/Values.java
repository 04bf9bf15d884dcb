// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.pack.locate.MalformedException;
import org.cairn.pack.locate.NumpyType;
import org.cairn.transform.Elements;

/**
 * What an element of a dataset is, by its type.
 *
 * <pre>
 * Message → Version:4 Class:4, Bits:24, Size:32, Properties
 * Float   → Offset:16, Precision:16, ExponentAt:8, ExponentBits:8, MantissaAt:8, MantissaBits:8, Bias:32
 * Array   → Rank:8, [0:24], Length:32{rank}, [Order:32{rank}], Base:Message       in [ ]: version 2
 * Enum    → Base:Message, …
 * </pre>
 *
 * @param elements what it consists of, at last
 * @param type what one calls that
 * @param axes axes that an element itself has; those of array types
 * @param bytes how many bytes an element of the dataset has
 */
record Values(Elements elements, NumpyType type, List<Long> axes, long bytes) {
  private static final int INTEGER = 0;
  private static final int FLOAT = 1;
  private static final int TIME = 2;
  private static final int TEXT = 3;
  private static final int BITS = 4;
  private static final int REFERENCE = 7;
  private static final int ENUM = 8;
  private static final int VARIABLE = 9;
  private static final int ARRAY = 10;

  /** Arrays of arrays deeper than this are records. */
  private static final int DEEPEST = 16;

  private static final int VAX_ORDER = 0x40;
  private static final int SIGNED = 0x08;

  /** A type without what follows from its class. */
  private record Head(int version, int kind, int bits, long bytes) {
    static Head read(Cursor message) throws IOException, MalformedException {
      long at = message.at();
      long all = message.number(Long.BYTES);
      int kind = (int) all & 0xF;
      Head head = new Head((int) all >> 4 & 0xF, kind, (int) all >>> 8, all >>> 32);
      if (head.bytes == 0 && head.kind != VARIABLE) {
        throw new MalformedException(at, "has elements of no size");
      }
      return head;
    }

    ByteOrder order() {
      return (bits & 1) == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    }

    Values record(ByteOrder order) {
      return bytes <= Elements.MAX_WIDTH
          ? record(order, NumpyType.bytes((int) bytes))
          : new Values(Elements.BYTES, NumpyType.bytes(1), List.of(bytes), bytes);
    }

    private Values record(ByteOrder order, NumpyType type) {
      return new Values(Elements.integers((int) bytes, order), type, List.of(), bytes);
    }

    /** Those of a size that others know. */
    Values integer(boolean signed) {
      if (bytes > Long.BYTES || Long.bitCount(bytes) != 1) {
        return record(order());
      }
      Elements elements = Elements.integers((int) bytes, order());
      return record(order(), NumpyType.number(signed ? 'i' : 'u', elements));
    }

    Values text() {
      return bytes <= Elements.MAX_WIDTH
          ? record(ByteOrder.LITTLE_ENDIAN, new NumpyType("|S" + bytes))
          : record(ByteOrder.LITTLE_ENDIAN);
    }
  }

  /** Whether 16 bytes of a message, of which these are the first 8, are all that is read of it. */
  static boolean isNumber(long start) {
    int kind = (int) start & 0xF;
    return kind == INTEGER || kind == FLOAT || kind == BITS;
  }

  /** Reads a datatype message; nothing if the values are not where the elements are. */
  static Optional<Values> read(Cursor message) throws IOException, MalformedException {
    Head whole = Head.read(message);
    Head head = whole;
    List<Long> axes = new ArrayList<>();
    for (int depth = 0; head.kind == ARRAY || head.kind == ENUM; depth++) {
      if (depth == DEEPEST) {
        return Optional.of(whole.record(ByteOrder.LITTLE_ENDIAN));
      }
      if (head.kind == ARRAY) {
        axes.addAll(axes(message, head.version));
      }
      head = Head.read(message);
    }
    if (head.kind == REFERENCE || head.kind == VARIABLE) {
      return Optional.empty();
    }
    return Optional.of(joined(whole, axes, single(head, message)));
  }

  private static List<Long> axes(Cursor message, int version)
      throws IOException, MalformedException {
    int rank = message.u8();
    message.skip(version < 3 ? 3 : 0);
    List<Long> axes = new ArrayList<>();
    for (int i = 0; i < rank && i < Dataspace.HIGHEST_RANK; i++) {
      axes.add(message.u32());
    }
    if (rank > Dataspace.HIGHEST_RANK) {
      throw new MalformedException(message.at(), "has an array of too many axes");
    }
    message.skip(version < 3 ? 4L * rank : 0);
    return axes;
  }

  /** An array, if its axes make up its size; else a record. */
  private static Values joined(Head whole, List<Long> axes, Values base) {
    List<Long> all = new ArrayList<>(axes);
    all.addAll(base.axes);
    long bytes = base.elements.width();
    for (long axis : all) {
      // Cannot overflow: a size has 32 bits, and so has an axis.
      bytes = Math.min(bytes * axis, Integer.MAX_VALUE * 2L + 2);
    }
    return bytes == whole.bytes
        ? new Values(base.elements, base.type, List.copyOf(all), bytes)
        : whole.record(ByteOrder.LITTLE_ENDIAN);
  }

  private static Values single(Head head, Cursor properties)
      throws IOException, MalformedException {
    return switch (head.kind) {
      case INTEGER -> head.integer((head.bits & SIGNED) != 0);
      case BITS -> head.integer(false);
      case TIME -> head.record(head.order());
      case TEXT -> head.text();
      case FLOAT -> floating(head, properties);
      default -> head.record(ByteOrder.LITTLE_ENDIAN);
    };
  }

  /** Numbers that are ordered as their bits are, or records. */
  private static Values floating(Head head, Cursor properties)
      throws IOException, MalformedException {
    if ((head.bits & VAX_ORDER) != 0) {
      return head.record(ByteOrder.LITTLE_ENDIAN);
    }
    long all = properties.number(Long.BYTES);
    int offset = (int) all & 0xFFFF;
    int precision = (int) (all >> 16) & 0xFFFF;
    int exponentAt = (int) (all >> 32) & 0xFF;
    int exponentBits = (int) (all >> 40) & 0xFF;
    int mantissaAt = (int) (all >> 48) & 0xFF;
    int mantissaBits = (int) (all >>> 56);
    int signAt = head.bits >> 8 & 0xFF;
    boolean ordered =
        offset == 0
            && precision == 8 * head.bytes
            && mantissaAt == 0
            && exponentAt == mantissaBits
            && signAt == exponentAt + exponentBits
            && signAt == precision - 1;
    boolean usual = head.bytes == 2 || head.bytes == 4 || head.bytes == 8;
    if (!ordered || !usual) {
      return head.record(head.order());
    }
    Elements elements = Elements.floats((int) head.bytes, head.order());
    return new Values(elements, NumpyType.usual(elements), List.of(), head.bytes);
  }
}
