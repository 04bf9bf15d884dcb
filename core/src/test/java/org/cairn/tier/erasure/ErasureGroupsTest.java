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
    ErasureGroups groups = ErasureGroups.suited(nodes(21, 1));
    assertThat(groups.groups()).hasSize(3).allMatch(group -> group.size() == 7);
    assertThat(groups.parity()).isEqualTo(2);
    assertThat(groups.warnings()).isEmpty();
    assertThat(groups.groups().stream().flatMap(List::stream)).doesNotHaveDuplicates().hasSize(21);
  }

  @Test
  void ranksOfANodeAreSpreadOverGroups() {
    ErasureGroups groups = ErasureGroups.suited(nodes(32, 4));
    assertThat(groups.groups())
        .hasSize(4)
        .allSatisfy(
            group -> assertThat(group.stream().map(rank -> rank / 4)).doesNotHaveDuplicates());
    assertThat(groups.warnings()).isEmpty();
  }

  @Test
  void aNodeThatHoldsTooMuchIsNamed() {
    ErasureGroups groups = ErasureGroups.suited(nodes(4, 3));
    assertThat(groups.warnings())
        .containsExactly(
            "node0 has ranks [0, 1, 2] of one group, which bears the loss of 2: losing node0 loses"
                + " them all");
  }

  @Test
  void smallJobsBearLess() {
    assertThat(ErasureGroups.suited(nodes(2, 1)).parity()).isEqualTo(1);
    assertThat(ErasureGroups.suited(nodes(3, 1)).parity()).isEqualTo(1);
    assertThat(ErasureGroups.suited(nodes(4, 1)).parity()).isEqualTo(2);
    assertThatThrownBy(() -> ErasureGroups.suited(nodes(1, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs at least 2");
    assertThatThrownBy(() -> ErasureGroups.adapted(nodes(9, 1), 3, 3))
        .hasMessageContaining("groups of 3");
  }
}
