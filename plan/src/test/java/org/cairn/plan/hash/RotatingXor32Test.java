// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RotatingXor32Test {
  /** Listing 7.1, as it is printed. */
  private static int listing(byte[] bytes, int from, int to) {
    int h = 0;
    for (int i = from; i < to; i++) {
      h = h << 4 ^ h >>> 28 ^ Byte.toUnsignedInt(bytes[i]);
    }
    return h;
  }

  @Test
  void isTheListing() {
    byte[] bytes = new byte[3 * 5000 + 77];
    new Random(3).nextBytes(bytes);
    long[] digests = new long[8];
    new RotatingXor32().hash(MemorySegment.ofArray(bytes), 0, bytes.length, 5000, digests);
    for (int block = 0; block < 4; block++) {
      int expected = listing(bytes, 5000 * block, Math.min(bytes.length, 5000 * (block + 1)));
      assertThat(digests[2 * block]).isEqualTo(Integer.toUnsignedLong(expected));
      assertThat(digests[2 * block + 1]).isZero();
    }
  }

  /** The bytes 1, 2, 3 by hand: 0x1, 0x12, 0x123. */
  @Test
  void byHand() {
    long[] digest = new long[2];
    MemorySegment bytes = MemorySegment.ofArray(new byte[] {9, 1, 2, 3});
    new RotatingXor32().hash(bytes, 1, 3, 16, digest);
    assertThat(digest[0]).isEqualTo(0x123);
  }
}
