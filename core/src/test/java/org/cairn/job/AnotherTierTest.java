// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.store.Store;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.tier.FileNames;
import org.cairn.tier.Source;
import org.cairn.tier.TierTypes;
import org.cairn.tier.twin.TwinType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A tier that Cairn knows nothing of does all that its own do; see TwinType. */
@Timeout(60)
class AnotherTierTest {
  private final MemoryDirectories directories = new MemoryDirectories();

  private SmallJob job(int ranks, Tiers tiers) {
    SmallJob job = new SmallJob(ranks, directories);
    job.options = rank -> SmallJob.OPTIONS.tiers(tiers);
    return job;
  }

  private static Tiers twins(int every) {
    return Tiers.none().other(TierTypes.kindCalled("twin"), every, "");
  }

  private static void step(SmallJob.Rank rank) {
    rank.advance();
    rank.cairn().checkpoint().await(TierTypes.kindCalled("twin"));
  }

  private void takeTwo(int ranks) {
    SmallJob job =
        job(ranks, twins(1))
            .run(
                rank -> {
                  step(rank);
                  step(rank);
                });
    assertThat(job.failures).containsOnlyNulls();
  }

  private void loseState(int ranks, int rank) throws IOException {
    Store store = directories.open(FileNames.directory(rank));
    store.delete(FileNames.local(rank));
    assertThat(store.list()).as("of %d ranks", ranks).contains("rank" + rank + ".twin.cairn");
  }

  @Test
  void aStateThatIsLostComesFromIt() throws IOException {
    takeTwo(3);
    loseState(3, 1);
    SmallJob back = job(3, twins(1));
    assertThat(back.restoredStep()).isEqualTo(2);
    RestartReport report = back.report();
    assertThat(report.origins()).isEqualTo(List.of("local", "twin of rank 1", "local"));
  }

  @Test
  void itIsFoundByAJobThatDoesNotUseIt() throws IOException {
    takeTwo(2);
    loseState(2, 0);
    loseState(2, 1);
    assertThat(job(2, Tiers.none()).restoredStep()).isEqualTo(2);
  }

  @Test
  void whatItHasIsAskedForAsOfOthers() throws IOException {
    takeTwo(2);
    loseState(2, 0);
    Store store = directories.open(FileNames.directory(0));
    store.delete("rank0.twin.cairn");
    SmallJob back = job(2, Tiers.none()).run(_ -> {});
    assertThat(back.failures.getFirst())
        .hasMessageContaining("local: no container")
        .hasMessageContaining("twin: no twin");
  }

  /** Of another release, say: one rank believes that another process reads. */
  @Test
  void ranksThatWouldRebuildByDifferentTablesRefuse() throws IOException {
    takeTwo(3);
    loseState(3, 0);
    SmallJob back = job(3, twins(1));
    back.comm =
        plain -> {
          if (plain.rank() == 1) {
            TwinType.SEEN.set(AnotherTierTest::asIfRankTwoHadIt);
          }
          return plain;
        };
    back.run(_ -> {});
    assertThat(back.failures)
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .hasMessageContaining("ranks have different plans for a restart; rank 0: ")
                    .hasMessageContaining("; rank 1: ")
                    .hasMessageContaining("by table"));
    assertThat(job(3, twins(1)).restoredStep()).as("nothing is lost").isEqualTo(2);
  }

  private static Source asIfRankTwoHadIt(Source source) {
    return new Source(source.kind(), 2, source.directory(), source.file(), source.group());
  }

  @Test
  void anUnknownKindIsRefused() {
    Tiers cloud = Tiers.none().other(new TierKind("cloud", 1 << 21), 1, "");
    assertThatThrownBy(() -> Options.defaults().tiers(cloud))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no tier of the kind cloud");
    assertThatThrownBy(() -> Tiers.none().other(TierKind.SHARED, 1, ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TierKind("Two words", 3))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
