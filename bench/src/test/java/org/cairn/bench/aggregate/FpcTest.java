// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

/**
 * What FPC is compared by: that it brings everything back, and that it compresses what it should.
 */
class FpcTest {
  private static byte[] encode(byte[] bytes, ByteOrder order) {
    byte[] encoded = new byte[Fpc.maxEncodedLength(bytes.length)];
    return Arrays.copyOf(encoded, new Fpc(12, order).encode(bytes, bytes.length, encoded));
  }

  private static byte[] decode(byte[] encoded, int length, ByteOrder order) {
    byte[] bytes = new byte[length];
    new Fpc(12, order).decode(encoded, bytes, length);
    return bytes;
  }

  private static byte[] doubles(int count, ByteOrder order, Random noise, double amount) {
    ByteBuffer buffer = ByteBuffer.allocate(count * Double.BYTES).order(order);
    for (int i = 0; i < count; i++) {
      buffer.putDouble(Math.sin(i * 0.001) + amount * noise.nextDouble());
    }
    return buffer.array();
  }

  @SeededTest(seeds = 40)
  void everythingComesBack(Random random) {
    ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    byte[] bytes =
        random.nextBoolean()
            ? doubles(random.nextInt(70_000), order, random, random.nextInt(2) * 1e-3)
            : new byte[random.nextInt(600_000)];
    if (random.nextInt(3) == 0) {
      random.nextBytes(bytes);
    }
    byte[] cut = Arrays.copyOf(bytes, Math.max(0, bytes.length - random.nextInt(8)));
    assertThat(decode(encode(cut, order), cut.length, order)).isEqualTo(cut);
  }

  @Test
  void whatRepeatsTakesACodeEach() {
    byte[] encoded = encode(new byte[8 * 1000], ByteOrder.LITTLE_ENDIAN);
    assertThat(encoded).hasSize(500);
  }

  @Test
  void equalStepsArePredictedByTheirDifference() {
    ByteBuffer steps = ByteBuffer.allocate(8 * 1000).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 1000; i++) {
      steps.putLong(0x4000_0000_0000_0000L + i * 0x1_0000_0000L);
    }
    assertThat(encode(steps.array(), ByteOrder.LITTLE_ENDIAN)).hasSizeLessThan(600);
  }

  @Test
  void noiseGrowsByItsCodesOnly() {
    byte[] noise = new byte[8 * 1000 + 5];
    new Random(7).nextBytes(noise);
    assertThat(encode(noise, ByteOrder.LITTLE_ENDIAN)).hasSizeBetween(8400, 8505);
  }

  @Test
  void fourZeroBytesCountAsThree() {
    ByteBuffer four = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0xFFFF_FFFFL);
    assertThat(encode(four.array(), ByteOrder.LITTLE_ENDIAN)).containsExactly(3, -1, -1, -1, -1, 0);
  }
}
