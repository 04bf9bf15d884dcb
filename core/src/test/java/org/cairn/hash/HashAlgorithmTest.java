// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import java.util.stream.IntStream;
import org.cairn.HashAlgorithm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("vectors")
class HashAlgorithmTest {

  /** Files name algorithms by number: a changed number would make them unreadable. */
  @Test
  void numbersNeverChange() {
    assertThat(IntStream.rangeClosed(1, 10).mapToObj(Hashers::algorithm))
        .containsExactly(
            HashAlgorithm.XXH3_128,
            WeakHash.CRC32,
            WeakHash.CRC32C,
            HashAlgorithm.MD5,
            HashAlgorithm.SHA_256,
            WeakHash.ADLER_32,
            WeakHash.FLETCHER_32_MOD_65535,
            WeakHash.FLETCHER_32_MOD_65536,
            WeakHash.ROTATING_XOR,
            HashAlgorithm.SPOOKY_128);
  }

  @Test
  void unknownNumbersAreNamed() {
    assertThatThrownBy(() -> Hashers.algorithm(77))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("77");
  }

  @ParameterizedTest
  @MethodSource("org.cairn.HashAlgorithm#values")
  void labelsAndNamesAreParsed(HashAlgorithm algorithm) {
    assertThat(HashAlgorithm.parse(algorithm.label())).isEqualTo(algorithm);
    assertThat(HashAlgorithm.parse(algorithm.label().toUpperCase(Locale.ROOT).replace('-', '_')))
        .isEqualTo(algorithm);
  }

  @Test
  void unknownNamesAreAnsweredWithTheKnownOnes() {
    assertThatThrownBy(() -> HashAlgorithm.parse("sha-1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("\"sha-1\"", "xxh3-128, md5, sha-256, spooky-128");
    assertThatThrownBy(() -> WeakHash.parseAny("sha-1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("\"sha-1\"", "xxh3-128", "rotating-xor");
  }

  /** A name from a configuration never leads to a digest that may lose changes. */
  @ParameterizedTest
  @MethodSource("org.cairn.hash.WeakHash#withStrong")
  void weakOnesAreFoundByThoseOnlyWhoAskForThem(HashAlgorithm algorithm) {
    assertThat(WeakHash.parseAny(algorithm.label())).isSameAs(algorithm);
    assertThat(algorithm.bits()).isBetween(32, 128);
    assertThat(algorithm.weak()).isEqualTo(algorithm instanceof WeakHash);
    assertThat(HashAlgorithm.values().contains(algorithm)).isNotEqualTo(algorithm.weak());
    if (algorithm.weak()) {
      assertThatThrownBy(() -> HashAlgorithm.parse(algorithm.label()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void anAlgorithmThatNothingComputesIsNamed() {
    HashAlgorithm unknown = new HashAlgorithm(77, 128, "sha-1") {};
    assertThatThrownBy(() -> Hashers.of(unknown))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sha-1");
  }
}
