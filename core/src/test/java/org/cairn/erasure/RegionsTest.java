// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Both paths compute what the definition says, and nothing beside it. */
@Tag("vectors")
class RegionsTest {

  @Test
  void theFieldIsAField() {
    for (int a = 0; a < 256; a++) {
      for (int b = 0; b < 256; b++) {
        assertThat(GaloisField.multiply(a, b)).isEqualTo(byDefinition(a, b));
      }
      if (a > 0) {
        assertThat(GaloisField.multiply(a, GaloisField.inverse(a))).isEqualTo(1);
      }
    }
    assertThatExceptionOfType(ArithmeticException.class).isThrownBy(() -> GaloisField.divide(1, 0));
  }

  /** Polynomials, bit by bit. */
  private static int byDefinition(int a, int b) {
    int product = 0;
    for (int bit = 7; bit >= 0; bit--) {
      product <<= 1;
      product ^= product > 255 ? GaloisField.POLYNOMIAL : 0;
      product ^= (b >> bit & 1) == 1 ? a : 0;
    }
    return product;
  }

  @Test
  void allCoefficientsTimesAllBytes() {
    MemorySegment all = Arena.ofAuto().allocate(256);
    for (int i = 0; i < 256; i++) {
      all.set(ValueLayout.JAVA_BYTE, i, (byte) i);
    }
    for (String path : new String[] {"plain", "vector"}) {
      Kernels kernels = new Kernels(ErasurePath.choose(path));
      for (int c = 0; c < 256; c++) {
        MemorySegment target = Arena.ofAuto().allocate(256);
        combination(kernels, c).run(new MemorySegment[] {all, target}, 256);
        assertThat(target.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(GaloisField.products(c));
      }
    }
  }

  @SeededTest(seeds = 3)
  void allLengthsAtAllOffsets(Random random) {
    byte[] bytes = new byte[400];
    random.nextBytes(bytes);
    MemorySegment source = Arena.ofAuto().allocate(400, 64).copyFrom(MemorySegment.ofArray(bytes));
    Kernels plain = new Kernels(ErasurePath.choose("plain"));
    Kernels vector = new Kernels(ErasurePath.choose("vector"));
    for (int length = 0; length <= 200; length++) {
      int from = random.nextInt(64);
      int to = random.nextInt(64);
      for (int c : new int[] {1, 2, random.nextInt(256)}) {
        byte[] expected = sum(c, bytes, from, to, length);
        assertThat(run(plain, c, source, from, to, length)).isEqualTo(expected);
        assertThat(run(vector, c, source, from, to, length)).isEqualTo(expected);
      }
    }
  }

  /** What 400 bytes of 0x5a should be afterwards. */
  private static byte[] sum(int c, byte[] source, int from, int to, int length) {
    byte[] expected = new byte[400];
    Arrays.fill(expected, (byte) 0x5a);
    for (int i = 0; i < length; i++) {
      expected[to + i] ^= (byte) GaloisField.multiply(c, source[from + i] & 0xFF);
    }
    return expected;
  }

  private static byte[] run(
      Kernels kernels, int c, MemorySegment source, int from, int to, int length) {
    MemorySegment target = Arena.ofAuto().allocate(400, 64).fill((byte) 0x5a);
    MemorySegment[] memory = {source.asSlice(from, length), target.asSlice(to, length)};
    combination(kernels, c).run(memory, length);
    return target.toArray(ValueLayout.JAVA_BYTE);
  }

  private static Combination combination(Kernels kernels, int c) {
    return new Combination(kernels, new int[][] {{c}}, true);
  }

  @Test
  void multiplyAddTakesAllKindsOfMemory() {
    byte[] bytes = new byte[400];
    new Random(2).nextBytes(bytes);
    byte[] expected = sum(77, bytes, 3, 5, 300);
    MemorySegment heap = MemorySegment.ofArray(bytes);
    MemorySegment target = MemorySegment.ofArray(new long[50]).fill((byte) 0x5a);
    Regions.multiplyAdd((byte) 77, heap, 3, target, 5, 300);
    assertThat(target.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment own = confined.allocate(400).fill((byte) 0x5a);
      Regions.multiplyAdd((byte) 77, heap, 3, own, 5, 300);
      assertThat(own.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
    }
    Regions.multiplyAdd((byte) 0, heap, 0, target, 0, 400);
    assertThat(target.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> Regions.multiplyAdd((byte) 1, heap, 101, target, 0, 300));
  }

  /** The plain twin works first, then the vector kernel takes over: results stay the same. */
  @Test
  void resultsDoNotChangeWhileKernelsWarmUp() {
    int length = 1 << 20;
    MemorySegment source = Arena.ofAuto().allocate(length).fill((byte) 3);
    MemorySegment target = Arena.ofAuto().allocate(length);
    byte product = (byte) GaloisField.multiply(9, 3);
    Kernels kernels = new Kernels(ErasurePath.choose("auto"));
    Combination combination = new Combination(kernels, new int[][] {{9}}, false);
    for (int i = 0; i < 300; i++) {
      target.fill((byte) 0);
      combination.run(new MemorySegment[] {source, target}, length);
      assertThat(target.get(ValueLayout.JAVA_BYTE, i)).isEqualTo(product);
      assertThat(target.asSlice(1).mismatch(target.asSlice(0, length - 1))).isEqualTo(-1);
    }
  }
}
