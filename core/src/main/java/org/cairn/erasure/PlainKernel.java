// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The plain twin of {@link VectorKernel}: eight bytes at a time, each product from a table. */
final class PlainKernel implements Kernel {

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private final Shape shape;

  PlainKernel(Shape shape) {
    this.shape = shape;
  }

  @Override
  public void run(MemorySegment[] memory, long offset, int length, Coefficients coefficients) {
    run(shape, memory, offset, length, coefficients);
  }

  static void run(
      Shape shape, MemorySegment[] memory, long offset, int length, Coefficients coefficients) {
    for (int source = 0; source < shape.sources(); source++) {
      boolean add = shape.add() || source > 0;
      int target = Shape.MAX_SOURCES;
      if (shape.xor()) {
        sum(memory[source], memory[target++], offset, length, add);
      }
      for (int dot = 0; dot < shape.dots(); dot++) {
        byte[] products = coefficients.products()[dot * shape.sources() + source];
        dot(memory[source], memory[target++], offset, length, add, products);
      }
    }
  }

  private static void sum(
      MemorySegment source, MemorySegment target, long offset, int length, boolean add) {
    if (add) {
      addSum(source, target, offset, length);
    } else {
      MemorySegment.copy(source, offset, target, offset, length);
    }
  }

  private static void addSum(MemorySegment source, MemorySegment target, long offset, int length) {
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      long at = offset + i;
      target.set(LONG, at, target.get(LONG, at) ^ source.get(LONG, at));
    }
    for (; i < length; i++) {
      long at = offset + i;
      target.set(BYTE, at, (byte) (target.get(BYTE, at) ^ source.get(BYTE, at)));
    }
  }

  private static void dot(
      MemorySegment source,
      MemorySegment target,
      long offset,
      int length,
      boolean add,
      byte[] products) {
    long keep = add ? -1 : 0;
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      long at = offset + i;
      long product = product(source.get(LONG, at), products);
      target.set(LONG, at, product ^ (target.get(LONG, at) & keep));
    }
    for (; i < length; i++) {
      long at = offset + i;
      int product = products[source.get(BYTE, at) & 0xFF];
      target.set(BYTE, at, (byte) (product ^ (target.get(BYTE, at) & keep)));
    }
  }

  private static long product(long x, byte[] products) {
    return (products[(int) (x & 0xFF)] & 0xFFL)
        | (products[(int) (x >>> 8 & 0xFF)] & 0xFFL) << 8
        | (products[(int) (x >>> 16 & 0xFF)] & 0xFFL) << 16
        | (products[(int) (x >>> 24 & 0xFF)] & 0xFFL) << 24
        | (products[(int) (x >>> 32 & 0xFF)] & 0xFFL) << 32
        | (products[(int) (x >>> 40 & 0xFF)] & 0xFFL) << 40
        | (products[(int) (x >>> 48 & 0xFF)] & 0xFFL) << 48
        | (products[(int) (x >>> 56)] & 0xFFL) << 56;
  }
}
