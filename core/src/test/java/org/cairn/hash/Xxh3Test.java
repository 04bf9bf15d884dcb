package org.cairn.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** XXH3-128 is the published algorithm: against known vectors and another implementation. */
class Xxh3Test {

  private static final long SEED = 20250711;

  @Test
  void emptyInputHasThePublishedDigest() {
    long[] digest = new long[2];
    Xxh3.digest(MemorySegment.ofArray(new byte[0]), 0, 0, digest, 0);
    assertThat(digest).containsExactly(0x6001C324468D497FL, 0x99AA06D3014798D8L);
  }

  @Test
  void everyLengthUpTo4096() {
    byte[] bytes = random(4096);
    MemorySegment segment = MemorySegment.ofArray(bytes);
    for (int length = 0; length <= bytes.length; length++) {
      assertThat(digest(segment, 0, length))
          .as("%d bytes, seed %d", length, SEED)
          .containsExactly(expected(Arrays.copyOf(bytes, length)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anyMemoryAtAnyAlignment(Memory memory) {
    Random random = new Random(SEED);
    for (int i = 0; i < 300; i++) {
      byte[] bytes = new byte[random.nextInt(i < 200 ? 300 : 70_000)];
      random.nextBytes(bytes);
      int offset = random.nextInt(17);
      assertThat(digest(memory.holding(bytes, offset), offset, bytes.length))
          .as("%d bytes at %d in %s, seed %d", bytes.length, offset, memory, SEED)
          .containsExactly(expected(bytes));
    }
  }

  @Test
  void extremeBytes() {
    for (int value : new int[] {0, 0xFF, 0x80, 0x7F}) {
      byte[] bytes = new byte[5000];
      Arrays.fill(bytes, (byte) value);
      assertThat(digest(MemorySegment.ofArray(bytes), 0, bytes.length))
          .as("all bytes %d", value)
          .containsExactly(expected(bytes));
    }
  }

  @Test
  void checksumIsTheLowHalf() {
    byte[] bytes = random(100);
    assertThat(Xxh3.checksum(MemorySegment.ofArray(bytes), 0, 100)).isEqualTo(expected(bytes)[0]);
  }

  @Test
  void rangesOutsideAreRefused() {
    MemorySegment segment = MemorySegment.ofArray(new byte[100]);
    assertThatThrownBy(() -> Xxh3.checksum(segment, 1, 100))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Xxh3.digest(segment, 0, 100, new long[2], 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(SEED).nextBytes(bytes);
    return bytes;
  }

  /** What hash4j, an independent implementation, says. */
  static long[] expected(byte[] bytes) {
    HashValue128 value = Hashing.xxh3_128().hashBytesTo128Bits(bytes);
    return new long[] {value.getLeastSignificantBits(), value.getMostSignificantBits()};
  }

  private static long[] digest(MemorySegment data, long offset, long length) {
    long[] digest = new long[2];
    Xxh3.digest(data, offset, length, digest, 0);
    return digest;
  }
}
