// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever ranks are lost, as many as a group bears, come back. */
@Tag("slow")
class RebuildTest {
  @SeededTest(seeds = 1)
  void everyLossThatIsBorne(Random random) throws IOException {
    int[][] groups = {{2, 1}, {3, 1}, {3, 2}, {4, 2}, {5, 2}, {6, 1}};
    for (int[] group : groups) {
      everyLoss(group[0], group[1], random);
    }
  }

  @SeededTest(seeds = 1)
  @OnlyThorough
  void everyLossOfLargerGroups(Random random) throws IOException {
    int[][] groups = {{4, 1}, {4, 3}, {6, 2}, {6, 3}};
    for (int[] group : groups) {
      everyLoss(group[0], group[1], random);
    }
  }

  private static void everyLoss(int size, int parity, Random random) throws IOException {
    Team team = new Team(size, parity);
    for (Member member : team.members) {
      Team.add(member, random);
      Team.add(member, random);
      Team.add(member, random);
    }
    for (int i = 0; i < 4; i++) {
      VersionId id = team.checkpoint();
      team.protect(id);
      List<BitSet> losses = team.losses(parity);
      for (BitSet lost : i == 3 ? losses : List.of(losses.get(random.nextInt(losses.size())))) {
        team.without(lost).rebuild(id, lost);
      }
      team.change(random);
    }
  }

  @Test
  void moreThanIsBorneIsRefused() throws IOException {
    Team team = new Team(4, 2);
    team.members.forEach(member -> Team.add(member, Seeds.content(member.rank)));
    VersionId id = team.checkpoint();
    team.protect(id);
    BitSet lost = BitSet.valueOf(new long[] {0b0111});
    assertThatThrownBy(() -> team.without(lost).rebuild(id, lost))
        .hasMessageContaining("cannot be rebuilt")
        .hasMessageContaining("the states of [3] and parity of [3]");
  }

  @Test
  void statesOfZerosAndOfNothing() throws IOException {
    Team team = new Team(3, 1);
    team.members.get(0).put("zeros", new byte[100_000], 16 << 10);
    team.members.get(1).put("nothing", new byte[0], 16 << 10);
    team.members.get(2).put("one", new byte[] {1}, 128);
    VersionId id = team.checkpoint();
    team.protect(id);
    for (BitSet lost : team.losses(1)) {
      team.without(lost).rebuild(id, lost);
    }
  }
}
