// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import org.cairn.testkit.version.TestRun;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.version.VersionId;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierKind;
import org.junit.jupiter.api.Test;

class FragmentTableTest {
  private static final VersionId V1 = TestRun.id(1, 1, 2);
  private static final VersionId V2 = TestRun.id(1, 2, 2);
  private static final VersionId V3 = TestRun.id(2, 3, 2);

  private final List<Survey.Found> found = new ArrayList<>();

  private void add(int holder, TierKind kind, int owner, String directory, VersionId... versions) {
    String file = "rank" + owner + (kind == TierKind.PARTNER ? ".partner.cairn" : ".cairn");
    found.add(
        new Survey.Found(
            holder, new Fragment(kind, owner, directory, file, List.of(versions), null, 1, "")));
  }

  private FragmentTable table() {
    return new FragmentTable(2, new Survey(List.copyOf(found)));
  }

  private static VersionId planned(FragmentTable table) {
    return table.plan(null).orElseThrow().version();
  }

  @Test
  void theNewestVersionThatAllRanksHaveIsPlanned() {
    add(0, TierKind.LOCAL, 0, "rank0", V3, V2, V1);
    add(1, TierKind.LOCAL, 1, "rank1", V2, V1);
    assertThat(planned(table())).isEqualTo(V2);
    assertThat(table().commonLocal()).containsExactly(V1, V2);
  }

  @Test
  void epochsCountMoreThanSequences() {
    VersionId older = TestRun.id(1, 9, 2);
    add(0, TierKind.LOCAL, 0, "rank0", V3, older);
    add(1, TierKind.LOCAL, 1, "rank1", V3, older);
    assertThat(planned(table())).isEqualTo(V3);
  }

  @Test
  void theOwnContainerIsPreferredThenOneElsewhereThenACopy() {
    add(0, TierKind.LOCAL, 0, "rank0", V1);
    add(0, TierKind.PARTNER, 1, "rank0", V1);
    FragmentTable.Source copy = table().plan(null).orElseThrow().sources().get(1);
    assertThat(copy.kind()).isEqualTo(TierKind.PARTNER);
    add(0, TierKind.LOCAL, 1, "rank1", V1); // left behind where rank 0 runs now
    FragmentTable.Source elsewhere = table().plan(null).orElseThrow().sources().get(1);
    assertThat(elsewhere.kind()).isEqualTo(TierKind.LOCAL);
    assertThat(elsewhere.isOwn(1)).isFalse();
    add(1, TierKind.LOCAL, 1, "rank1", V1);
    assertThat(table().plan(null).orElseThrow().sources().get(1).isOwn(1)).isTrue();
  }

  @Test
  void whatIsDamagedIsDoneWithoutForThatVersionOnly() {
    add(0, TierKind.LOCAL, 0, "rank0", V2, V1);
    add(1, TierKind.LOCAL, 1, "rank1", V2, V1);
    add(0, TierKind.PARTNER, 1, "rank0", V2);
    FragmentTable table = table();
    FragmentTable.Bad local = new FragmentTable.Bad(1, "rank1", "rank1.cairn", V2, "a digest");
    assertThat(table.exclude(local)).isTrue();
    assertThat(table.exclude(local)).as("no progress").isFalse();
    assertThat(table.plan(null).orElseThrow().sources().get(1).kind()).isEqualTo(TierKind.PARTNER);
    table.exclude(new FragmentTable.Bad(0, "rank0", "rank1.partner.cairn", V2, "a digest"));
    assertThat(planned(table)).isEqualTo(V1);
    assertThat(table.damagedFiles(0)).containsExactly("rank1.partner.cairn");
    assertThat(table.damagedFiles(1)).containsExactly("rank1.cairn");
    assertThat(table.answers(1))
        .anyMatch(line -> line.contains("local: damaged at rank 1, partner: damaged at rank 0"));
  }

  @Test
  void aVersionMayBeAskedFor() {
    add(0, TierKind.LOCAL, 0, "rank0", V3, V1);
    add(1, TierKind.LOCAL, 1, "rank1", V3, V1);
    assertThat(table().plan(V1).orElseThrow().version()).isEqualTo(V1);
    assertThat(table().plan(V2)).isEqualTo(Optional.empty());
    assertThat(table().olderThan(V3)).containsExactly(V1);
  }

  @Test
  void versionsOfOtherJobsAreNotMixedIn() {
    add(0, TierKind.LOCAL, 0, "rank0", TestRun.id(4, 9, 3));
    add(1, TierKind.LOCAL, 1, "rank1", TestRun.id(4, 9, 3));
    assertThat(table().isEmpty()).isTrue();
    assertThat(table().otherSizes()).containsExactly(3);
    assertThat(table().plan(null)).isEmpty();
  }
}
