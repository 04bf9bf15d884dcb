// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The head of a NumPy {@code .npy} file; the elements follow it, row by row.
 *
 * <pre>
 * Npy     → 0x93 "NUMPY" Major(u8) Minor(u8) Length Dictionary Element*
 * Length  → u16 in version 1.0, u32 in version 2.0; of the dictionary
 * </pre>
 *
 * <p>The dictionary is a Python literal, padded with spaces and ended with a line end so that the
 * elements begin at a multiple of 64.
 */
final class NpyHeader {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int ALIGNMENT = 64;

  private NpyHeader() {}

  /**
   * The bytes of a head.
   *
   * @param type NumPy's name of the element type, such as {@code <f8}
   * @param shape elements along each axis, slowest first; none for a scalar
   */
  static byte[] of(String type, List<Long> shape) {
    String dictionary =
        "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".formatted(type, tuple(shape));
    boolean wide = padded(dictionary, 2) > 0xFFFF;
    int lengthBytes = wide ? 4 : 2;
    int length = padded(dictionary, lengthBytes);
    ByteBuffer head =
        ByteBuffer.allocate(MAGIC.length + 2 + lengthBytes + length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(MAGIC)
            .put((byte) (wide ? 2 : 1))
            .put((byte) 0);
    if (wide) {
      head.putInt(length);
    } else {
      head.putShort((short) length);
    }
    head.put(dictionary.getBytes(StandardCharsets.US_ASCII));
    while (head.remaining() > 1) {
      head.put((byte) ' ');
    }
    return head.put((byte) '\n').array();
  }

  /** The length of the dictionary with its padding and line end. */
  private static int padded(String dictionary, int lengthBytes) {
    int before = MAGIC.length + 2 + lengthBytes;
    int total = before + dictionary.length() + 1;
    return Math.ceilDiv(total, ALIGNMENT) * ALIGNMENT - before;
  }

  /** A Python tuple: {@code ()}, {@code (5,)}, {@code (2, 3)}. */
  private static String tuple(List<Long> shape) {
    StringBuilder tuple = new StringBuilder("(");
    for (int i = 0; i < shape.size(); i++) {
      tuple.append(i == 0 ? "" : ", ").append(shape.get(i));
    }
    return tuple.append(shape.size() == 1 ? ",)" : ")").toString();
  }
}
