// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.partner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class PartnersTest {
  @Test
  void everyRankHasOnePartnerAndKeepsOneCopy() {
    for (int size = 2; size < 9; size++) {
      List<String> domains = java.util.Collections.nCopies(size, "x");
      for (int distance = 1; distance < size; distance++) {
        Partners partners = Partners.at(distance, domains);
        for (int rank = 0; rank < size; rank++) {
          assertThat(partners.holderOf(rank)).isNotEqualTo(rank);
          assertThat(partners.ownerAt(partners.holderOf(rank))).isEqualTo(rank);
        }
      }
    }
  }

  @Test
  void partnersAreInOtherDomainsWherePossible() {
    Partners blocks = Partners.nearest(List.of("a", "a", "b", "b"));
    assertThat(blocks.distance()).isEqualTo(2);
    assertThat(blocks.together()).isEmpty();
    assertThat(Partners.nearest(List.of("a", "b", "a", "b")).distance()).isEqualTo(1);
    Partners mostly = Partners.nearest(List.of("a", "a", "a", "b"));
    assertThat(mostly.together()).hasSize(2);
    assertThat(Partners.nearest(List.of("a", "a")).together()).containsExactly(0, 1);
  }

  @Test
  void impossibleDistancesAreRefused() {
    assertThatThrownBy(() -> Partners.at(3, List.of("a", "b", "c")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("distance 3")
        .hasMessageContaining("3 ranks");
    assertThatThrownBy(() -> Partners.at(1, List.of("a")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
