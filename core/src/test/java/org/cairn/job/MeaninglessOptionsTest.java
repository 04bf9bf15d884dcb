// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What means nothing on any number of ranks is refused; what this number cannot have is left out.
 */
class MeaninglessOptionsTest {
  private static final Options SMALL = Options.defaults().blockSize(128).threads(1);

  static Stream<Arguments> meaningless() {
    Tiers none = Tiers.none();
    return Stream.of(
        Arguments.of(none.partnerDistance(2), "partnerDistance", "partner(every)"),
        Arguments.of(none.partner(1).group(4, 1), "group", "erasure(every)"),
        Arguments.of(none.partner(1).sharedRetain(3), "sharedRetain", "shared(directory, every)"),
        Arguments.of(none.sharedGroup(3), "sharedGroup", "shared(directory, every)"),
        Arguments.of(none.leaseRest(Duration.ofSeconds(9)), "leaseRest", "shared("),
        Arguments.of(none.visibility(Duration.ZERO), "visibility", "shared("),
        Arguments.of(none.requireDomains(), "requireDomains", "partner(every) or erasure(every)"));
  }

  @ParameterizedTest
  @MethodSource("meaningless")
  void aSettingOfATierThatIsNotThereIsRefused(Tiers tiers, String setting, String remedy) {
    Options options = SMALL.tiers(tiers);
    assertThatThrownBy(() -> Checkpointer.open(new MemoryStore(), options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Tiers." + setting + " means nothing")
        .hasMessageContaining(remedy);
    assertThatThrownBy(
            () ->
                Ranks.run(
                    2, comm -> Checkpointer.open(new MemoryDirectories(), comm, options).close()))
        .hasMessageContaining("Tiers." + setting + " means nothing");
  }

  @Test
  void theOrderInWhichTiersAreDescribedDoesNotMatter() {
    MemoryStore shared = new MemoryStore();
    Tiers tiers = Tiers.none().group(2, 1).sharedRetain(1).shared(shared, 1).erasure(1);
    Checkpointer.open(new MemoryStore(), SMALL.tiers(tiers)).close();
  }

  @Test
  void memoryWithoutAPartnerIsRefusedOnOneRankToo() {
    assertThatThrownBy(() -> Checkpointer.open(new MemoryStore(), SMALL.inMemory(true)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("give it a partner: Tiers.none().partner(1)");
  }

  @Test
  void oneRankLeavesOutWhatItCannotHaveWithOneWarning() {
    Options options = SMALL.tiers(Tiers.none().partner(1).erasure(1)).inMemory(true);
    try (LogLines tiers = new LogLines(Job.class)) {
      Checkpointer.open(new MemoryStore(), options).close();
      assertThat(tiers.with("left out")).hasSize(1);
    }
    try (LogLines memory = new LogLines(Checkpointer.class)) {
      Checkpointer.open(new MemoryStore(), options).close();
      assertThat(memory.with("it goes to files")).hasSize(1);
    }
  }

  @Test
  void aDistanceThatTooFewRanksHaveIsChosenByDomains() {
    try (LogLines lines = new LogLines(Job.class)) {
      checkpoint(3, Tiers.none().partner(1).partnerDistance(3));
      assertThat(lines.with("no partner at a distance of 3")).hasSize(1);
    }
  }

  @Test
  void aLossThatTooSmallGroupsCannotBearIsLowered() {
    try (LogLines lines = new LogLines(Job.class)) {
      // Two groups of two, which bear one.
      checkpoint(4, Tiers.none().erasure(1).group(3, 2));
      assertThat(lines.with("groups of 2, which bear the loss of 1 and not of 2")).hasSize(1);
    }
  }

  private static void checkpoint(int ranks, Tiers tiers) {
    MemoryDirectories directories = new MemoryDirectories();
    ConcurrentHashMap<Integer, Boolean> there = new ConcurrentHashMap<>();
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directories, comm, SMALL.tiers(tiers))) {
            cairn.protect("u", new double[] {comm.rank()});
            var taken = cairn.checkpoint();
            taken.tiers().forEach(taken::await);
            there.put(comm.rank(), taken.tiers().stream().allMatch(taken::isAt));
          }
        });
    assertThat(there).hasSize(ranks).doesNotContainValue(false);
  }
}
