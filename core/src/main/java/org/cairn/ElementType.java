// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/** What the bytes of a dataset are, with the number under which files name it. */
public enum ElementType {
  /** Eight-bit integers; also memory of no known type. */
  BYTE(1, 1, "|i1"),
  /** One byte each, 0 or 1. */
  BOOLEAN(2, 1, "|b1"),
  /** UTF-16 code units. */
  CHAR(3, 2, "<u2"),
  /** Sixteen-bit integers. */
  SHORT(4, 2, "<i2"),
  /** Thirty-two-bit integers. */
  INT(5, 4, "<i4"),
  /** Sixty-four-bit integers. */
  LONG(6, 8, "<i8"),
  /** Thirty-two-bit floating point. */
  FLOAT(7, 4, "<f4"),
  /** Sixty-four-bit floating point. */
  DOUBLE(8, 8, "<f8"),
  /** Bytes that only the program's own pair of functions understands. */
  OPAQUE(9, 1, "|u1");

  private final int id;
  private final int bytes;
  private final String numpy;

  ElementType(int id, int bytes, String numpy) {
    this.id = id;
    this.bytes = bytes;
    this.numpy = numpy;
  }

  /** The number that stands for this type in files. */
  public int id() {
    return id;
  }

  /** The size of one element. */
  public int bytes() {
    return bytes;
  }

  /** NumPy's name of this type, in the byte order of containers. */
  public String numpy() {
    return numpy;
  }

  /** The name shown to users. */
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /**
   * The type with this number.
   *
   * @throws IllegalArgumentException if no type of this release has it
   */
  public static ElementType of(int id) {
    for (ElementType type : values()) {
      if (type.id == id) {
        return type;
      }
    }
    throw new IllegalArgumentException("element type " + id + " is unknown");
  }
}
