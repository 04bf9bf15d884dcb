// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Fragment;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.junit.jupiter.api.Test;

/** Which groups can be decoded at once. */
class RoundsTest {
  private static final List<Fragment.Group> GROUPS =
      List.of(
          new Fragment.Group(List.of(0, 2), 1, "a"),
          new Fragment.Group(List.of(1, 3), 1, "a"),
          new Fragment.Group(List.of(4, 5), 1, "a"));

  /** Members 0, 1 and 4 are lost; what is left is read, and wanted, by the remainder. */
  private static Roles roles(int processes) {
    List<Roles.Role> members = new ArrayList<>();
    for (int member = 0; member < 6; member++) {
      int process = member % processes;
      Fragment.Group group = groupOf(member);
      boolean lost = group.members().getFirst() == member;
      Source parity = new Source(TierKind.ERASURE, process, "rank", "parity", group);
      Source source =
          lost
              ? new Source(TierKind.ERASURE, process, "", "", group)
              : new Source(TierKind.LOCAL, process, "rank", "state", null);
      Roles.Want want = new Roles.Want(process, Roles.Form.CONTAINER);
      members.add(new Roles.Role(source, lost ? List.of() : List.of(parity), want));
    }
    return new Roles(TestRun.id(1, 1, 6), members);
  }

  private static Fragment.Group groupOf(int member) {
    Optional<Fragment.Group> group =
        GROUPS.stream().filter(one -> one.members().contains(member)).findFirst();
    return group.orElseThrow();
  }

  @Test
  void onTheSameNumberOfRanksAllAtOnce() {
    assertThat(ErasureType.rounds(roles(6))).containsExactly(GROUPS);
  }

  @Test
  void groupsOfOneProcessOneAfterTheOther() {
    assertThat(ErasureType.rounds(roles(1)))
        .containsExactly(List.of(GROUPS.get(0)), List.of(GROUPS.get(1)), List.of(GROUPS.get(2)));
  }

  @Test
  void groupsWithoutACommonProcessAtOnce() {
    // By remainder of 2: processes {0}, {1} and {0, 1}.
    assertThat(ErasureType.rounds(roles(2)))
        .containsExactly(List.of(GROUPS.get(0), GROUPS.get(1)), List.of(GROUPS.get(2)));
  }
}
