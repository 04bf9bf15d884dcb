// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The plain twin of {@link VectorKernel}: eight bytes at a time, each product from a table.
 *
 * <p>It copies a tile of everything into arrays, and what comes out back: to read segments word by
 * word takes layers of calls that only the second compiler sees through, and this is what works
 * while a process is cold. The order of the bytes in a word does not matter to any of it.
 */
final class PlainKernel implements Kernel {
  private static final int TILE = 4 << 10;

  private static final ThreadLocal<Tiles> TILES = ThreadLocal.withInitial(Tiles::new);

  private final Shape shape;

  PlainKernel(Shape shape) {
    this.shape = shape;
  }

  /** Part of a source, and of each target. */
  private static final class Tiles {
    private final long[] source = new long[TILE / Long.BYTES];
    private final long[][] targets = new long[Shape.MAX_DOTS + 1][TILE / Long.BYTES];
    private final MemorySegment sourceBytes = MemorySegment.ofArray(source);
    private final MemorySegment[] targetBytes =
        Arrays.stream(targets).map(MemorySegment::ofArray).toArray(MemorySegment[]::new);
  }

  @Override
  public void run(MemorySegment[] memory, long offset, int length, Coefficients coefficients) {
    run(shape, memory, offset, length, coefficients);
  }

  static void run(
      Shape shape, MemorySegment[] memory, long offset, int length, Coefficients coefficients) {
    Tiles tiles = TILES.get();
    for (int done = 0; done < length; done += TILE) {
      tile(shape, memory, offset + done, Math.min(TILE, length - done), coefficients, tiles);
    }
  }

  private static void tile(
      Shape shape,
      MemorySegment[] memory,
      long offset,
      int length,
      Coefficients coefficients,
      Tiles tiles) {
    int words = (length + Long.BYTES - 1) / Long.BYTES;
    for (int target = 0; target < shape.targets(); target++) {
      if (shape.add()) {
        MemorySegment.copy(
            memory[Shape.MAX_SOURCES + target], offset, tiles.targetBytes[target], 0, length);
      } else {
        Arrays.fill(tiles.targets[target], 0, words, 0);
      }
    }
    for (int source = 0; source < shape.sources(); source++) {
      MemorySegment.copy(memory[source], offset, tiles.sourceBytes, 0, length);
      add(shape, source, coefficients, tiles, words);
    }
    for (int target = 0; target < shape.targets(); target++) {
      MemorySegment.copy(
          tiles.targetBytes[target], 0, memory[Shape.MAX_SOURCES + target], offset, length);
    }
  }

  /** Adds a source to all targets; what is beyond its last byte is not written. */
  private static void add(
      Shape shape, int source, Coefficients coefficients, Tiles tiles, int words) {
    int target = 0;
    if (shape.xor()) {
      addSum(tiles.source, tiles.targets[target++], words);
    }
    for (int dot = 0; dot < shape.dots(); dot++) {
      byte[] products = coefficients.products()[dot * shape.sources() + source];
      addProducts(tiles.source, tiles.targets[target++], words, products);
    }
  }

  private static void addSum(long[] source, long[] target, int words) {
    for (int i = 0; i < words; i++) {
      target[i] ^= source[i];
    }
  }

  private static void addProducts(long[] source, long[] target, int words, byte[] products) {
    for (int i = 0; i < words; i++) {
      target[i] ^= product(source[i], products);
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
