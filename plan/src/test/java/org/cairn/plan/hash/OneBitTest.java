// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OneBitTest {
  private static final int ADLER = 65521;

  @ParameterizedTest
  @CsvSource({
    "128, 8.026123046875e-3",
    "256, 2.0742e-3",
    "512, 5.2839e-4",
    "1024, 1.3334e-4",
  })
  void knownValues(int block, double chance) {
    for (double counted :
        new double[] {
          OneBit.chance(block / 8, 8, ADLER),
          OneBit.chance(block / 8, 4, 65535),
          OneBit.chance(block / 8, 4, 65536)
        }) {
      assertThat(counted).isCloseTo(chance, within(5e-5 * chance));
    }
    assertThat(OneBit.chance(16, 8, ADLER)).isCloseTo(526 / 65536.0, within(1e-15));
  }

  /** Signs counted one by one, with moduli that are primes, even, and neither. */
  @Test
  void allSignsOneByOne() {
    for (int modulus : new int[] {17, 30, 32, 45, 64, ADLER}) {
      for (int step : new int[] {1, 4, 6, 8}) {
        for (int elements = 1; elements < Math.min(15, modulus); elements++) {
          assertThat(OneBit.chance(elements, step, modulus))
              .as("%d elements, step %d, modulus %d", elements, step, modulus)
              .isCloseTo(oneByOne(elements, step, modulus), within(1e-12));
        }
      }
    }
  }

  private static double oneByOne(int elements, int step, int modulus) {
    int hits = 0;
    for (int signs = 0; signs < 1 << elements; signs++) {
      int sum = 0;
      int weighted = 0;
      for (int i = 0; i < elements; i++) {
        int sign = (signs >> i & 1) == 0 ? 1 : -1;
        sum += sign;
        weighted += sign * step * (i + 1);
      }
      hits += sum % modulus == 0 && weighted % modulus == 0 ? 1 : 0;
    }
    return Math.scalb((double) hits, -elements);
  }

  /** So many elements that the second sum comes around, by going through all states of both. */
  @ParameterizedTest
  @CsvSource({"40, 4, 101", "60, 4, 255", "60, 4, 256", "48, 8, 97"})
  void sumsThatComeAround(int elements, int step, int modulus) {
    Map<Long, BigInteger> states = new HashMap<>(Map.of(0L, BigInteger.ONE));
    for (int i = 1; i <= elements; i++) {
      Map<Long, BigInteger> next = new HashMap<>();
      for (Map.Entry<Long, BigInteger> state : states.entrySet()) {
        long sum = state.getKey() / modulus;
        long weighted = state.getKey() % modulus;
        for (int sign : new int[] {1, -1}) {
          long s = Math.floorMod(sum + sign, modulus);
          long w = Math.floorMod(weighted + (long) sign * step * i, modulus);
          next.merge(s * modulus + w, state.getValue(), BigInteger::add);
        }
      }
      states = next;
    }
    double counted = states.getOrDefault(0L, BigInteger.ZERO).doubleValue();
    assertThat(OneBit.chance(elements, step, modulus))
        .isCloseTo(Math.scalb(counted, -elements), within(1e-12));
  }

  @Test
  void oddNumbersOfElementsAreNeverMissed() {
    assertThat(OneBit.chance(17, 8, ADLER)).isZero();
  }

  @Test
  void refusesMoreElementsThanItCanCount() {
    assertThatThrownBy(() -> OneBit.chance(ADLER, 8, ADLER)).hasMessageContaining("1 to 65520");
  }
}
