// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.cairn.TierKind;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;

class StabilityTest {
  private final Stability stability = new Stability(2);

  private static VersionId version(int sequence) {
    return TestRun.id(5, sequence, 4);
  }

  private static List<VersionId> versions(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(StabilityTest::version).toList();
  }

  @Test
  void onlyStableVersionsCount() {
    stability.reset(List.of(version(1)));
    stability.nowStable(TierKind.LOCAL, version(2));
    // 3 to 9 were made here and failed elsewhere.
    assertThat(stability.keep(versions(1, 10))).containsExactly(version(2));
    stability.nowStable(TierKind.LOCAL, version(10));
    assertThat(stability.keep(versions(2, 11))).containsExactly(version(10));
  }

  @Test
  void theNewestOfEachTierStays() {
    stability.reset(List.of(version(1)));
    stability.nowStable(TierKind.PARTNER, version(1));
    for (int i = 2; i <= 9; i++) {
      stability.nowStable(TierKind.LOCAL, version(i));
    }
    assertThat(stability.keep(versions(1, 10))).containsExactlyInAnyOrder(version(1), version(9));
    stability.nowStable(TierKind.PARTNER, version(8));
    assertThat(stability.keep(versions(1, 10))).containsExactlyInAnyOrder(version(8), version(9));
    assertThat(stability.newest(TierKind.PARTNER)).contains(version(8));
  }

  @Test
  void whatATierWorksOnIsPinnedUntilAllHaveDone() {
    stability.reset(List.of());
    stability.pin(version(1));
    stability.pin(version(1));
    stability.nowStable(TierKind.LOCAL, version(3));
    stability.unpin(version(1));
    assertThat(stability.keep(versions(1, 4))).contains(version(1));
    stability.unpin(version(1));
    assertThat(stability.keep(versions(1, 4))).containsExactly(version(3));
  }

  @Test
  void whatEarlierRunsLeftStaysUntilSomethingIsStable() {
    List<VersionId> found =
        List.of(TestRun.id(3, 7, 4), TestRun.id(4, 8, 4), version(9), version(10));
    assertThat(stability.keep(found)).containsExactlyInAnyOrderElementsOf(found.subList(0, 2));
    stability.nowStable(TierKind.LOCAL, version(10));
    assertThat(stability.keep(found)).containsExactly(version(10));
  }
}
