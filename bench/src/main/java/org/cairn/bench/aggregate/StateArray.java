// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.cairn.pack.locate.Variable;
import org.cairn.transform.Elements;

/**
 * An array of a rank's state.
 *
 * @param bytes its elements, little-endian, the last axis fastest
 */
record StateArray(Variable variable, ByteBuffer bytes) {
  static StateArray doubles(String name, double[] values, int... shape) {
    ByteBuffer bytes = space(values.length, Double.BYTES);
    bytes.asDoubleBuffer().put(values);
    return new StateArray(variable(name, Elements.floats(8, order()), shape, values.length), bytes);
  }

  /** Calculated with doubles, saved as floats, as many programs do. */
  static StateArray floats(String name, double[] values, int... shape) {
    ByteBuffer bytes = space(values.length, Float.BYTES);
    for (int i = 0; i < values.length; i++) {
      bytes.putFloat(i * Float.BYTES, (float) values[i]);
    }
    return new StateArray(variable(name, Elements.floats(4, order()), shape, values.length), bytes);
  }

  static StateArray ints(String name, int[] values, int... shape) {
    ByteBuffer bytes = space(values.length, Integer.BYTES);
    bytes.asIntBuffer().put(values);
    return new StateArray(
        variable(name, Elements.integers(4, order()), shape, values.length), bytes);
  }

  static StateArray longs(String name, long[] values) {
    ByteBuffer bytes = space(values.length, Long.BYTES);
    bytes.asLongBuffer().put(values);
    return new StateArray(
        variable(name, Elements.integers(8, order()), new int[0], values.length), bytes);
  }

  static StateArray bytes(String name, byte[] values) {
    Elements elements = Elements.integers(1, order());
    return new StateArray(
        variable(name, elements, new int[0], values.length), ByteBuffer.wrap(values));
  }

  private static ByteOrder order() {
    return ByteOrder.LITTLE_ENDIAN;
  }

  private static ByteBuffer space(int count, int width) {
    return ByteBuffer.allocate(Math.multiplyExact(count, width)).order(order());
  }

  private static Variable variable(String name, Elements elements, int[] shape, int count) {
    List<Long> axes = new ArrayList<>();
    for (int axis : shape) {
      axes.add((long) axis);
    }
    return new Variable(name, elements, axes.isEmpty() ? List.of((long) count) : axes);
  }
}
