// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Any units of a code are enough to have the others again. */
@Tag("vectors")
class ReedSolomonTest {

  private static final int LENGTH = 4096 + 57;

  @Test
  void theFirstParityUnitIsAPlainSum() {
    ReedSolomon code = new ReedSolomon(20, 5);
    for (int i = 0; i < code.data(); i++) {
      assertThat(code.coefficient(0, i)).isEqualTo((byte) 1);
    }
    for (int i = 0; i < code.parity(); i++) {
      assertThat(code.coefficient(i, 0)).isEqualTo((byte) 1);
    }
  }

  @Test
  void codesMayNotBeTooLarge() {
    assertThat(new ReedSolomon(254, 2)).hasToString("254+2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ReedSolomon(254, 3))
        .withMessageContaining("254")
        .withMessageContaining("256");
    assertThatIllegalArgumentException().isThrownBy(() -> new ReedSolomon(0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new ReedSolomon(1, 0));
  }

  @Test
  void tooManyMissingUnitsAreRefused() {
    ReedSolomon code = new ReedSolomon(4, 2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> code.decoder(0, 2, 5))
        .withMessage("3 units are missing, [0, 2, 5]: a code 4+2 survives the loss of 2");
    assertThatIllegalArgumentException().isThrownBy(() -> code.decoder(6));
    assertThatIllegalArgumentException().isThrownBy(() -> code.decoder(1, 1));
    assertThatIllegalArgumentException().isThrownBy(code::decoder);
  }

  @Test
  void oneLostUnitIsThePlainSumOfTheOthers() {
    Decoder decoder = new ReedSolomon(6, 2).decoder(3);
    assertThat(decoder.missing()).containsExactly(3);
    assertThat(decoder.sources()).containsExactly(0, 1, 2, 4, 5, 6);
    for (int i = 0; i < 6; i++) {
      assertThat(decoder.coefficient(0, i)).isEqualTo((byte) 1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1,1", "1,3", "2,1", "2,2", "3,1", "3,3", "4,2", "5,2", "5,4", "6,2", "6,3", "7,3", "8,1", "9,2"
  })
  void everyLossIsMadeGoodOnBothPaths(int data, int parity) {
    Random random = Seeds.content(31 * data + parity);
    for (String path : new String[] {"vector", "plain"}) {
      ReedSolomon code = new ReedSolomon(data, parity, new Kernels(ErasurePath.choose(path)));
      MemorySegment[] units = encoded(code, random);
      for (int lost = 1; lost < 1 << (data + parity); lost++) {
        if (Integer.bitCount(lost) <= parity) {
          assertRecovered(code, units, bits(lost));
        }
      }
    }
  }

  /** Every square submatrix of a large code cannot be tried; random losses can. */
  @SeededTest(seeds = 2)
  void randomLossesOfLargeCodesAreMadeGood(Random random) {
    for (int data : new int[] {10, 40, 120, 250}) {
      randomLossesAreMadeGood(data, random);
    }
  }

  private static void randomLossesAreMadeGood(int data, Random random) {
    ReedSolomon code = new ReedSolomon(data, Math.min(6, 256 - data), Kernels.chosen());
    MemorySegment[] units = encoded(code, random);
    for (int i = 0; i < 10; i++) {
      int[] lost = random.ints(0, units.length).distinct().limit(code.parity()).toArray();
      assertRecovered(code, units, lost);
    }
  }

  @Test
  void unitsAreAddedUpByDefinition() {
    ReedSolomon code = new ReedSolomon(5, 3);
    MemorySegment[] units = encoded(code, Seeds.content(5));
    for (int p = 0; p < code.parity(); p++) {
      for (long at = 0; at < LENGTH; at++) {
        int sum = 0;
        for (int d = 0; d < code.data(); d++) {
          int value = units[d].get(ValueLayout.JAVA_BYTE, at) & 0xFF;
          sum ^= GaloisField.multiply(code.coefficient(p, d) & 0xFF, value);
        }
        assertThat(units[5 + p].get(ValueLayout.JAVA_BYTE, at)).isEqualTo((byte) sum);
      }
    }
  }

  @Test
  void unitsOfAllKindsOfMemoryMayBeMixed() {
    Random random = Seeds.content(3);
    ReedSolomon code = new ReedSolomon(3, 2);
    MemorySegment[] expected = encoded(code, random);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment heap = MemorySegment.ofArray(new double[LENGTH / 8 + 1]);
      MemorySegment own = confined.allocate(LENGTH);
      heap.asSlice(0, LENGTH).copyFrom(expected[0]);
      own.copyFrom(expected[1]);
      MemorySegment[] data = {heap.asReadOnly(), own, expected[2]};
      MemorySegment[] parity = {
        MemorySegment.ofArray(new byte[LENGTH]), confined.allocate(LENGTH + 9)
      };
      code.encode(data, parity, LENGTH);
      for (int i = 0; i < 2; i++) {
        assertThat(MemorySegment.mismatch(parity[i], 0, LENGTH, expected[3 + i], 0, LENGTH))
            .isEqualTo(-1);
      }
    }
  }

  @Test
  void wrongNumbersOfUnitsAndShortUnitsAreRefused() {
    ReedSolomon code = new ReedSolomon(2, 1);
    MemorySegment[] two = {MemorySegment.NULL, MemorySegment.NULL};
    MemorySegment[] one = {MemorySegment.NULL};
    code.encode(two, one, 0);
    assertThatIllegalArgumentException().isThrownBy(() -> code.encode(one, two, 0));
    org.assertj.core.api.Assertions.assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> code.encode(two, one, 1));
  }

  private static MemorySegment[] encoded(ReedSolomon code, Random random) {
    MemorySegment[] units = new MemorySegment[code.data() + code.parity()];
    Arrays.setAll(units, _ -> Arena.ofAuto().allocate(LENGTH, 8));
    MemorySegment[] data = Arrays.copyOf(units, code.data());
    for (MemorySegment unit : data) {
      byte[] bytes = new byte[LENGTH];
      random.nextBytes(bytes);
      unit.copyFrom(MemorySegment.ofArray(bytes));
    }
    MemorySegment[] parity = Arrays.copyOfRange(units, code.data(), units.length);
    for (MemorySegment unit : parity) {
      unit.fill((byte) 0x55);
    }
    code.encode(data, parity, LENGTH);
    return units;
  }

  private static void assertRecovered(ReedSolomon code, MemorySegment[] units, int[] lost) {
    Decoder decoder = code.decoder(lost);
    MemorySegment[] sources = new MemorySegment[code.data()];
    Arrays.setAll(sources, i -> units[decoder.sources()[i]]);
    MemorySegment[] targets = new MemorySegment[lost.length];
    Arrays.setAll(targets, _ -> Arena.ofAuto().allocate(LENGTH));
    decoder.decode(sources, targets, LENGTH);
    for (int i = 0; i < lost.length; i++) {
      assertThat(units[lost[i]].mismatch(targets[i]))
          .as("unit %d of %s, lost %s", lost[i], code, Arrays.toString(lost))
          .isEqualTo(-1);
    }
  }

  private static int[] bits(int set) {
    return IntStream.range(0, 32).filter(i -> (set >> i & 1) == 1).toArray();
  }
}
