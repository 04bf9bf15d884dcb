// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.assertj.core.api.Assertions.assertThat;

import org.cairn.HashAlgorithm;
import org.junit.jupiter.api.Test;

/** The table names what is fast on a processor, and nothing that loses changes. */
class DefaultHashTest {

  @Test
  void shortVectorsOfArmLeadToTheOneWithoutMultiplications() {
    for (int bits : new int[] {0, 64, 128}) {
      assertThat(DefaultHash.of("aarch64", bits)).isSameAs(HashAlgorithm.SPOOKY_128);
    }
    assertThat(DefaultHash.of("aarch64", 256)).isSameAs(HashAlgorithm.XXH3_128);
    assertThat(DefaultHash.of("aarch64", 512)).isSameAs(HashAlgorithm.XXH3_128);
  }

  @Test
  void allOthersHaveXxh3() {
    for (String processor : new String[] {"amd64", "x86_64", "riscv64", "ppc64le", "s390x"}) {
      for (int bits : new int[] {0, 128, 256, 512}) {
        assertThat(DefaultHash.of(processor, bits)).isSameAs(HashAlgorithm.XXH3_128);
      }
    }
  }

  @Test
  void whatATableCanNameIsStrong() {
    assertThat(DefaultHash.names(DefaultHash.here())).isTrue();
    assertThat(WeakHash.withStrong().stream().filter(DefaultHash::names))
        .containsExactly(HashAlgorithm.XXH3_128, HashAlgorithm.SPOOKY_128)
        .noneMatch(HashAlgorithm::weak);
  }
}
