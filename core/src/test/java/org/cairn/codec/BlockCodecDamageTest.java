// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.cairn.Codec;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Damaged and hostile stored bytes: a {@link CodecException} or some block of the right length,
 * nothing else, and no byte outside the target range changes.
 *
 * <p>{@code -Dcairn.test.damages=} sets how many damages each codec gets.
 */
class BlockCodecDamageTest {
  private static final int GUARD = 256;
  private static final int LARGEST = 1 << 18;

  private final int damages = Integer.getInteger("cairn.test.damages", 4_000);
  private final Random content = Seeds.content(1);

  @SeededTest(seeds = 1)
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void damageIsReportedOrExpandsToTheRightLength(Codec codec, Random random) {
    int reported = 0;
    try (Victim victim = new Victim(codec)) {
      for (int i = 0; i < damages; i++) {
        int length = i % 100 == 0 ? random.nextInt(LARGEST) : random.nextInt(1, 3000);
        byte[] block = Samples.any(random).make(length, random);
        byte[] stored = victim.compress(block);
        int claimed = random.nextInt(8) == 0 ? random.nextInt(LARGEST) : length;
        if (!victim.survives(damaged(stored, random), claimed)) {
          reported++;
        }
        if (i % 50 == 0) {
          victim.expandsSoundBlock(block, stored);
        }
      }
    }
    // Otherwise the test damaged nothing, or the codec notices nothing.
    assertThat(reported).isBetween(damages / 20, damages);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void everyTruncationIsReported(Codec codec) {
    byte[] block = Samples.REPEATS.make(2000, content);
    try (Victim victim = new Victim(codec)) {
      byte[] stored = victim.compress(block);
      for (int length = 0; length < stored.length; length++) {
        assertThat(victim.survives(Arrays.copyOf(stored, length), block.length))
            .as("%s cut to %d", codec, length)
            .isFalse();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void everySingleBitFlipIsSurvived(Codec codec) {
    byte[] block = Samples.MIXED.make(600, content);
    try (Victim victim = new Victim(codec)) {
      byte[] stored = victim.compress(block);
      for (int bit = 0; bit < 8 * stored.length; bit++) {
        byte[] flipped = stored.clone();
        flipped[bit / 8] ^= (byte) (1 << (bit % 8));
        var _ = victim.survives(flipped, block.length);
      }
      victim.expandsSoundBlock(block, stored);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void wrongLengthsAndTrailingBytesAreReported(Codec codec) {
    byte[] block = Samples.COUNTERS.make(2000, content);
    try (Victim victim = new Victim(codec)) {
      byte[] stored = victim.compress(block);
      assertThat(victim.survives(stored, block.length)).isTrue();
      assertThat(victim.survives(stored, block.length - 1)).isFalse();
      assertThat(victim.survives(stored, block.length + 1)).isFalse();
      assertThat(victim.survives(stored, stored.length + 1)).isFalse();
      assertThat(victim.survives(stored, stored.length)).isFalse();
      assertThat(victim.survives(stored, 0)).isFalse();
      assertThat(victim.survives(new byte[0], 0)).isFalse();
      assertThat(victim.survives(Arrays.copyOf(stored, stored.length + 1), block.length)).isFalse();
    }
  }

  /** Frame headers that claim huge windows or sizes, and the magic numbers of zstd before 1.0. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void hostileHeadersAreReported(Codec codec) {
    try (Victim victim = new Victim(codec)) {
      for (int magic = 0xFD2FB51E; magic <= 0xFD2FB528; magic++) {
        for (int descriptor = 0; descriptor < 256; descriptor++) {
          byte[] frame = new byte[64];
          Arrays.fill(frame, (byte) 0xFF);
          MemorySegment.ofArray(frame).set(ValueLayout.JAVA_INT_UNALIGNED, 0, magic);
          frame[4] = (byte) descriptor;
          assertThat(victim.survives(frame, 100_000)).isFalse();
        }
      }
    }
  }

  /** Sound streams, but none that we write: their decoders are not to be trusted with damage. */
  @Test
  void framesOfOldZstdAndSeveralFramesAreReported() {
    // zstd 0.7: magic, descriptor, window, a block of 1000 times 'A', end.
    byte[] old = HexFormat.of().parseHex("27b52ffd" + "00" + "00" + "8003e8" + "41" + "c00000");
    // A frame to skip, of 3 bytes.
    byte[] skipped = HexFormat.of().parseHex("502a4d18" + "03000000" + "010203");
    try (Victim victim = new Victim(Codec.ZSTD)) {
      byte[] stored = victim.compress(new byte[1000]);
      assertThat(victim.survives(stored, 1000)).isTrue();
      assertThat(victim.survives(old, 1000)).isFalse();
      assertThat(victim.survives(joined(stored, old), 2000)).isFalse();
      assertThat(victim.survives(joined(stored, stored), 2000)).isFalse();
      assertThat(victim.survives(joined(stored, skipped), 1000)).isFalse();
      assertThat(victim.survives(joined(skipped, stored), 1000)).isFalse();
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] result = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, result, first.length, second.length);
    return result;
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void messageSaysWhatWasExpected(Codec codec) {
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Arena arena = Arena.ofConfined()) {
      MemorySegment garbage = arena.allocate(100).fill((byte) 0xEE);
      MemorySegment target = arena.allocate(1000);
      assertThatExceptionOfType(CodecException.class)
          .isThrownBy(() -> blocks.decompress(garbage, 0, 100, target, 0, 1000))
          .withMessageContainingAll("100 stored bytes", "1000");
    }
  }

  private static byte[] damaged(byte[] stored, Random random) {
    return switch (random.nextInt(7)) {
      case 0 -> flipped(stored, 1, random);
      case 1 -> flipped(stored, 1 + random.nextInt(16), random);
      case 2 -> Arrays.copyOf(stored, random.nextInt(stored.length + 1));
      case 3 -> Arrays.copyOf(stored, stored.length + 1 + random.nextInt(64));
      case 4 -> Samples.any(random).make(random.nextInt(2 * stored.length + 8), random);
      case 5 -> overwritten(stored, random);
      default -> shifted(stored, random);
    };
  }

  private static byte[] flipped(byte[] stored, int count, Random random) {
    byte[] result = stored.clone();
    for (int i = 0; i < count && result.length > 0; i++) {
      result[random.nextInt(result.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return result;
  }

  /** A torn write: some run of bytes is noise, zeros or ones. */
  private static byte[] overwritten(byte[] stored, Random random) {
    byte[] result = stored.clone();
    int from = random.nextInt(result.length + 1);
    int to = from + random.nextInt(result.length - from + 1);
    int kind = random.nextInt(3);
    for (int i = from; i < to; i++) {
      result[i] = kind == 0 ? 0 : kind == 1 ? -1 : (byte) random.nextInt();
    }
    return result;
  }

  /** A sound head followed by bytes from elsewhere in the stream. */
  private static byte[] shifted(byte[] stored, Random random) {
    byte[] result = stored.clone();
    int head = random.nextInt(result.length + 1);
    int by = random.nextInt(result.length - head + 1);
    System.arraycopy(stored, head + by, result, head, result.length - head - by);
    return result;
  }

  /** A codec between guard bytes. */
  private final class Victim implements AutoCloseable {
    private final Codec codec;
    private final BlockCodec blocks;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment source = arena.allocate(4L * LARGEST);
    private final MemorySegment target = arena.allocate(LARGEST + 2L * GUARD);
    private final MemorySegment guard = arena.allocate(GUARD).fill((byte) 0xA5);

    Victim(Codec codec) {
      this.codec = codec;
      this.blocks = BlockCodecs.create(codec);
    }

    /** The stored form; the block itself if that is how it would be stored. */
    byte[] compress(byte[] block) {
      Samples.put(block, source, 0);
      int size = blocks.compress(source, 0, block.length, target, 0, block.length);
      return size < 0 ? block : Samples.get(target, 0, size);
    }

    /** Whether the bytes expand at all; what surrounds them must make no difference. */
    boolean survives(byte[] stored, int length) {
      byte[] once = expand(stored, length, (byte) 0x00);
      byte[] again = expand(stored, length, (byte) 0xFF);
      assertThat(again).as("%s reads outside", codec).isEqualTo(once);
      return once.length == length && length > 0;
    }

    void expandsSoundBlock(byte[] block, byte[] stored) {
      if (stored.length < block.length) {
        assertThat(expand(stored, block.length, (byte) 0)).isEqualTo(block);
      }
    }

    /** The expanded block, or nothing if a {@link CodecException} came. */
    private byte[] expand(byte[] stored, int length, byte surrounding) {
      source.asSlice(0, stored.length + 2L * GUARD).fill(surrounding);
      Samples.put(stored, source, GUARD);
      copyGuard(0);
      copyGuard(GUARD + (long) length);
      try {
        blocks.decompress(source, GUARD, stored.length, target, GUARD, length);
        return Samples.get(target, GUARD, length);
      } catch (CodecException e) {
        return new byte[0];
      } finally {
        assertGuard(0);
        assertGuard(GUARD + (long) length);
      }
    }

    private void copyGuard(long offset) {
      MemorySegment.copy(guard, 0, target, offset, GUARD);
    }

    private void assertGuard(long offset) {
      assertThat(target.asSlice(offset, GUARD).mismatch(guard))
          .as("%s writes outside", codec)
          .isEqualTo(-1);
    }

    @Override
    public void close() {
      blocks.close();
      arena.close();
    }
  }
}
