// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.cairn.ElementType;
import org.cairn.cli.command.CommandFailedException;

/**
 * What is before the elements in an HDF5 file with one dataset and its attributes: everything, so
 * that elements are written as they come, one after the other. Where it is known where they lie,
 * their coordinates along each axis are datasets of their own. Libraries from HDF5 1.8 on read it.
 *
 * <pre>
 * File    → Superblock(version 2) Header(group) Header(dataset)+ coordinates zeros Element*
 * Header  → "OHDR" 2:u8 2:u8 length:u32 Message* Checksum           of object headers, version 2
 * Message → type:u8 length:u16 0:u8 bytes
 * </pre>
 */
final class Hdf5Head {
  private static final byte[] MAGIC = {(byte) 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  private static final int SUPERBLOCK = 48;
  private static final int ALIGNMENT = 512;
  private static final long NOWHERE = -1;
  private static final int MAX_NAME = 32_000;

  // Types of messages.
  private static final int DATASPACE = 1;
  private static final int LINK_INFO = 2;
  private static final int DATATYPE = 3;
  private static final int FILL_VALUE = 5;
  private static final int LINK = 6;
  private static final int LAYOUT = 8;
  private static final int GROUP_INFO = 10;
  private static final int ATTRIBUTE = 12;

  private final ByteBuffer out = ByteBuffer.allocate(1 << 18).order(ByteOrder.LITTLE_ENDIAN);

  private Hdf5Head() {}

  /**
   * The bytes before the elements.
   *
   * @param attributes texts, longs, lists of longs and doubles, by their names
   */
  static byte[] of(Exportable array, Map<String, ?> attributes) {
    if (utf8(array.name()).length > MAX_NAME) {
      throw new CommandFailedException(
          "an HDF5 file can have names of %d bytes; choose another --format".formatted(MAX_NAME));
    }
    List<Coordinate> coordinates = coordinates(array);
    List<String> names = new ArrayList<>(List.of(array.name()));
    coordinates.forEach(one -> names.add(one.axis.name()));
    // How long it is does not depend on where anything lies.
    Hdf5Head trial = new Hdf5Head();
    List<Integer> datasets = new ArrayList<>();
    int at = SUPERBLOCK + trial.group(names, names.stream().map(_ -> 0).toList());
    datasets.add(at);
    at += trial.dataset(array.type(), array.shape(), array.bytes(), attributes, 0);
    for (Coordinate one : coordinates) {
      datasets.add(at);
      at += trial.coordinate(one, 0);
    }
    int first = Math.ceilDiv(at, ALIGNMENT) * ALIGNMENT;
    int end = first + coordinates.stream().mapToInt(Coordinate::bytes).sum();
    int data = Math.ceilDiv(end, ALIGNMENT) * ALIGNMENT;
    Hdf5Head head = new Hdf5Head();
    head.superblock(SUPERBLOCK, data + array.bytes());
    head.group(names, datasets);
    head.dataset(
        array.type(),
        array.shape(),
        array.bytes(),
        attributes,
        array.bytes() == 0 ? NOWHERE : data);
    ByteBuffer bytes = ByteBuffer.allocate(data).order(ByteOrder.LITTLE_ENDIAN).position(first);
    for (Coordinate one : coordinates) {
      head.coordinate(one, bytes.position());
      one.writeTo(bytes);
    }
    bytes.put(0, head.out.array(), 0, head.out.position());
    return bytes.array();
  }

  /** Where elements lie along an axis. */
  private record Coordinate(Geometry.Along axis, int count) {
    int bytes() {
      return Math.multiplyExact(count, Double.BYTES);
    }

    void writeTo(ByteBuffer target) {
      for (int i = 0; i < count; i++) {
        target.putDouble(axis.at(i));
      }
    }
  }

  private static List<Coordinate> coordinates(Exportable array) {
    List<Coordinate> all = new ArrayList<>();
    List<Geometry.Along> axes = array.geometry().axes();
    for (int axis = 0; axis < axes.size() && array.bytes() > 0; axis++) {
      all.add(new Coordinate(axes.get(axis), Math.toIntExact(array.shape().get(axis))));
    }
    return all;
  }

  private int coordinate(Coordinate one, long data) {
    return dataset(ElementType.DOUBLE, List.of((long) one.count), one.bytes(), Map.of(), data);
  }

  private void superblock(long group, long end) {
    out.put(MAGIC).put((byte) 2).put((byte) 8).put((byte) 8).put((byte) 0);
    out.putLong(0).putLong(NOWHERE).putLong(end).putLong(group);
    out.putInt(checksum(out.array(), 0, out.position()));
  }

  /** A group with a link to each dataset; how long it is. */
  private int group(List<String> names, List<Integer> datasets) {
    int start = begin();
    int message = message(LINK_INFO);
    out.put((byte) 0).put((byte) 0).putLong(NOWHERE).putLong(NOWHERE);
    end(message);
    message = message(GROUP_INFO);
    out.put((byte) 0).put((byte) 0);
    end(message);
    for (int i = 0; i < names.size(); i++) {
      link(names.get(i), datasets.get(i));
    }
    return seal(start);
  }

  private void link(String name, long dataset) {
    int message = message(LINK);
    byte[] link = utf8(linkName(name));
    out.put((byte) 1).put((byte) 0x11).put((byte) 1).putShort((short) link.length).put(link);
    out.putLong(dataset);
    end(message);
  }

  /** A slash would be a way to another group. */
  static String linkName(String name) {
    String plain = name.replace('/', '_');
    return plain.equals(".") ? "_" : plain;
  }

  private int dataset(
      ElementType type, List<Long> shape, long bytes, Map<String, ?> attributes, long data) {
    int start = begin();
    int message = message(DATASPACE);
    dataspace(shape);
    end(message);
    message = message(DATATYPE);
    datatype(type);
    end(message);
    message = message(FILL_VALUE);
    out.put((byte) 2).put((byte) 2).put((byte) 2).put((byte) 0); // late, if set, none
    end(message);
    message = message(LAYOUT);
    out.put((byte) 3).put((byte) 1).putLong(data).putLong(bytes);
    end(message);
    attributes.forEach(this::attribute);
    return seal(start);
  }

  private void dataspace(List<Long> shape) {
    out.put((byte) 2).put((byte) shape.size()).put((byte) 0);
    out.put((byte) (shape.isEmpty() ? 0 : 1)); // a single element, or a number for each axis
    shape.forEach(out::putLong);
  }

  private void datatype(ElementType type) {
    switch (type) {
      case DOUBLE -> floating(8, 52, 11);
      case FLOAT -> floating(4, 23, 8);
      case BYTE, SHORT, INT, LONG -> integer(type.bytes(), true);
      case BOOLEAN, CHAR, OPAQUE -> integer(type.bytes(), false);
    }
  }

  private void floating(int size, int mantissa, int exponent) {
    out.put((byte) 0x11).put((byte) 0x20).put((byte) (8 * size - 1)).put((byte) 0).putInt(size);
    out.putShort((short) 0).putShort((short) (8 * size));
    out.put((byte) mantissa).put((byte) exponent).put((byte) 0).put((byte) mantissa);
    out.putInt((1 << exponent - 1) - 1);
  }

  private void integer(int size, boolean signed) {
    out.put((byte) 0x10).put((byte) (signed ? 8 : 0)).putShort((short) 0).putInt(size);
    out.putShort((short) 0).putShort((short) (8 * size));
  }

  private void attribute(String name, Object value) {
    int message = message(ATTRIBUTE);
    byte[] label = utf8(name + '\0');
    byte[] text = utf8(value + "\0");
    List<Long> shape = value instanceof List<?> many ? List.of((long) many.size()) : List.of();
    out.put((byte) 3).put((byte) 0).putShort((short) label.length);
    int lengths = out.position();
    int ofShape = 4 + Long.BYTES * shape.size();
    out.putShort((short) 0).putShort((short) ofShape).put((byte) 1).put(label);
    int type = out.position();
    switch (value) {
      case Double _ -> datatype(ElementType.DOUBLE);
      case Long _, List<?> _ -> datatype(ElementType.LONG);
      default -> out.put((byte) 0x13).put((byte) 0x10).putShort((short) 0).putInt(text.length);
    }
    out.putShort(lengths, (short) (out.position() - type));
    dataspace(shape);
    switch (value) {
      case Double number -> out.putDouble(number);
      case Long number -> out.putLong(number);
      case List<?> many -> many.forEach(number -> out.putLong((Long) number));
      default -> out.put(text);
    }
    end(message);
  }

  // ---------------------------------------------------------------- headers and messages

  private int begin() {
    int start = out.position();
    out.put(utf8("OHDR")).put((byte) 2).put((byte) 2).putInt(0);
    return start;
  }

  private int seal(int start) {
    out.putInt(start + 6, out.position() - start - 10);
    out.putInt(checksum(out.array(), start, out.position() - start));
    return out.position() - start;
  }

  private int message(int type) {
    out.put((byte) type).putShort((short) 0).put((byte) 0);
    return out.position();
  }

  private void end(int message) {
    out.putShort(message - 3, (short) (out.position() - message));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  // ---------------------------------------------------------------- Jenkins's lookup3

  /** The checksum of all of HDF5's metadata: Bob Jenkins's hash of bytes, beginning with 0. */
  static int checksum(byte[] bytes, int from, int length) {
    int a = 0xdeadbeef + length;
    int b = a;
    int c = a;
    int at = from;
    int left = length;
    while (left > 12) {
      a += word(bytes, at, 4);
      b += word(bytes, at + 4, 4);
      c += word(bytes, at + 8, 4);
      a = a - c ^ Integer.rotateLeft(c, 4);
      c += b;
      b = b - a ^ Integer.rotateLeft(a, 6);
      a += c;
      c = c - b ^ Integer.rotateLeft(b, 8);
      b += a;
      a = a - c ^ Integer.rotateLeft(c, 16);
      c += b;
      b = b - a ^ Integer.rotateLeft(a, 19);
      a += c;
      c = c - b ^ Integer.rotateLeft(b, 4);
      b += a;
      at += 12;
      left -= 12;
    }
    if (left == 0) {
      return c;
    }
    a += word(bytes, at, Math.min(4, left));
    b += word(bytes, at + 4, Math.clamp(left - 4, 0, 4));
    c += word(bytes, at + 8, Math.clamp(left - 8, 0, 4));
    c = (c ^ b) - Integer.rotateLeft(b, 14);
    a = (a ^ c) - Integer.rotateLeft(c, 11);
    b = (b ^ a) - Integer.rotateLeft(a, 25);
    c = (c ^ b) - Integer.rotateLeft(b, 16);
    a = (a ^ c) - Integer.rotateLeft(c, 4);
    b = (b ^ a) - Integer.rotateLeft(a, 14);
    return (c ^ b) - Integer.rotateLeft(b, 24);
  }

  private static int word(byte[] bytes, int at, int count) {
    int word = 0;
    for (int i = 0; i < count; i++) {
      word |= (bytes[at + i] & 0xFF) << 8 * i;
    }
    return word;
  }
}
