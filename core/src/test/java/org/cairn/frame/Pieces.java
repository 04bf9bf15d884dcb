// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;

/** Pieces of every kind. */
final class Pieces {
  private Pieces() {}

  /** Any number of pieces, from none to hundreds of tiny ones. */
  static List<Piece> any(Random random) {
    boolean tiny = random.nextInt(4) == 0;
    int count = tiny ? random.nextInt(600) : random.nextInt(12);
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int length =
          switch (random.nextInt(4)) {
            case 0 -> random.nextInt(2);
            case 1 -> random.nextInt(100);
            default -> random.nextInt(tiny ? 100 : 12_000);
          };
      pieces.add(new Piece(bytes(random, length), transform(random)));
    }
    return pieces;
  }

  /** On the heap or outside; smooth, repeated or noise, with what numbers have at their ends. */
  private static MemorySegment bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    buffer.order(random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    switch (random.nextInt(3)) {
      case 0 -> random.nextBytes(bytes);
      case 1 -> {
        for (int i = 0; i + 8 <= length; i += 8) {
          buffer.putDouble(i, odd(random, Math.sin(i * 1e-4)));
        }
      }
      default -> {
        for (int i = 0; i < length; i++) {
          bytes[i] = (byte) (i % 7);
        }
      }
    }
    return random.nextBoolean()
        ? MemorySegment.ofArray(bytes)
        : Arena.ofAuto()
            .allocate(Math.max(1, length))
            .asSlice(0, length)
            .copyFrom(MemorySegment.ofArray(bytes));
  }

  private static double odd(Random random, double usual) {
    return switch (random.nextInt(40)) {
      case 0 -> -0.0;
      case 1 -> Double.longBitsToDouble(0x7FF0_0000_0000_0001L | random.nextInt());
      case 2 -> Double.MIN_VALUE;
      case 3 -> Double.NEGATIVE_INFINITY;
      default -> usual;
    };
  }

  static Transform transform(Random random) {
    int width = random.nextInt(4) == 0 ? 1 + random.nextInt(40) : 1 << random.nextInt(4);
    ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    boolean isNumeric = Integer.bitCount(width) == 1 && width <= 8;
    Elements elements = new Elements(width, order, isNumeric && width > 1 && random.nextBoolean());
    return switch (random.nextInt(isNumeric ? 4 : 2)) {
      case 0 -> Transform.NONE;
      case 1 -> Transform.shuffle(elements);
      case 2 -> Transform.xor(elements, random.nextBoolean());
      default -> Transform.differences(elements, strides(random), random.nextBoolean());
    };
  }

  private static List<Integer> strides(Random random) {
    List<Integer> strides = new ArrayList<>(List.of(1));
    for (int axes = random.nextInt(3); axes > 0; axes--) {
      strides.add(strides.getLast() + 1 + random.nextInt(500));
    }
    return strides;
  }

  /** What the pieces have side by side. */
  static byte[] plain(List<Piece> pieces) {
    int length = (int) pieces.stream().mapToLong(piece -> piece.bytes().byteSize()).sum();
    ByteBuffer all = ByteBuffer.allocate(length);
    pieces.forEach(piece -> all.put(piece.bytes().toArray(ValueLayout.JAVA_BYTE)));
    return all.array();
  }
}
