// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ErasureGroupsTest {
  private static List<String> nodes(int ranks, int perNode) {
    return IntStream.range(0, ranks).mapToObj(rank -> "node" + rank / perNode).toList();
  }

  @Test
  void groupsAreOfNearlyTheSameSize() {
    ErasureGroups groups = ErasureGroups.adapted(nodes(21, 1), 8, 2);
    assertThat(groups.groups()).hasSize(3).allMatch(group -> group.size() == 7);
    assertThat(groups.parity()).isEqualTo(2);
    assertThat(groups.warnings()).isEmpty();
    assertThat(groups.groups().stream().flatMap(List::stream)).doesNotHaveDuplicates().hasSize(21);
  }

  @Test
  void ranksOfANodeAreSpreadOverGroups() {
    ErasureGroups groups = ErasureGroups.adapted(nodes(32, 4), 8, 2);
    assertThat(groups.groups())
        .hasSize(4)
        .allSatisfy(
            group -> assertThat(group.stream().map(rank -> rank / 4)).doesNotHaveDuplicates());
    assertThat(groups.warnings()).isEmpty();
  }

  @Test
  void aNodeThatHoldsTooMuchIsNamed() {
    ErasureGroups groups = ErasureGroups.adapted(nodes(4, 3), 8, 2);
    assertThat(groups.warnings())
        .containsExactly(
            "node0 has ranks [0, 1, 2] of one group, which bears the loss of 2: losing node0 loses"
                + " them all");
  }

  @Test
  void groupsThatAreTooSmallForTheLossAreRefused() {
    assertThatThrownBy(() -> ErasureGroups.adapted(nodes(1, 1), 8, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs at least 2");
    assertThatThrownBy(() -> ErasureGroups.adapted(nodes(9, 1), 3, 3))
        .hasMessageContaining("groups of 3");
  }
}
