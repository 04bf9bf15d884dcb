// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HashAlgorithmTest {

  /** Files name algorithms by number: a changed number would make them unreadable. */
  @Test
  void numbersNeverChange() {
    assertThat(HashAlgorithm.values())
        .extracting(HashAlgorithm::id)
        .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(HashAlgorithm.of(1)).isEqualTo(HashAlgorithm.XXH3_128);
    assertThat(HashAlgorithm.of(9)).isEqualTo(HashAlgorithm.ROTATING_XOR);
  }

  @Test
  void unknownNumbersAreNamed() {
    assertThatThrownBy(() -> HashAlgorithm.of(77))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("77");
  }

  @ParameterizedTest
  @EnumSource
  void labelsAndNamesAreParsed(HashAlgorithm algorithm) {
    assertThat(HashAlgorithm.of(algorithm.id())).isEqualTo(algorithm);
    assertThat(HashAlgorithm.parse(algorithm.label())).isEqualTo(algorithm);
    assertThat(HashAlgorithm.parse(algorithm.name())).isEqualTo(algorithm);
    assertThat(HashAlgorithm.parse(algorithm.label().toUpperCase().replace('-', '_')))
        .isEqualTo(algorithm);
  }

  @Test
  void unknownNamesAreAnsweredWithTheKnownOnes() {
    assertThatThrownBy(() -> HashAlgorithm.parse("sha-1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sha-1")
        .hasMessageContaining("xxh3-128")
        .hasMessageContaining("rotating-xor");
  }

  @ParameterizedTest
  @EnumSource
  void fewBitsAreWeak(HashAlgorithm algorithm) {
    assertThat(algorithm.bits()).isBetween(32, 128);
    assertThat(algorithm.weak()).isEqualTo(algorithm.bits() < 128);
  }
}
