// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Found;
import org.cairn.tier.Roles;
import org.cairn.tier.Roles.Form;
import org.cairn.tier.Roles.Want;
import org.cairn.tier.Source;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The states of four ranks come back to processes that are not those ranks. */
@Timeout(120)
class OtherProcessesTest {
  private static OldRanks saved;

  /** What happened, over all seeds. */
  private static final Set<String> REACHED = new ConcurrentSkipListSet<>();

  private static int seeds;

  @BeforeAll
  static void save() {
    saved =
        OldRanks.of(
            Tiers.none()
                .partner(1)
                .erasure(1)
                .group(OldRanks.MEMBERS, 2)
                .shared(new MemoryStore(), 1));
  }

  /** Each member by the process that is its remainder. */
  private static Roles.Wishes dealtOut(int processes) {
    return (member, _) -> new Want(member % processes, Form.READABLE);
  }

  /** What the processes themselves find and bring; the kinds that it came from. */
  private static List<String> read(OldRanks old, int processes) throws IOException {
    List<String> kinds = new CopyOnWriteArrayList<>();
    Ranks.run(
        processes,
        rank -> "node",
        comm -> {
          Store own = old.home(comm.rank(), processes).store();
          DirectoryIds ids = DirectoryIds.announce(comm, old.directories, own, "", TestRun.RANDOM);
          FragmentScan scan = new FragmentScan(comm, old.directories, own, old.tiers(), "", ids);
          List<Found> found = Survey.gather(comm, SurveyMessage.write(scan.scan())).found();
          OldRanks.Outcome outcome = old.bring(comm, found, OldRanks.STEPS, dealtOut(processes));
          assertThat(outcome.brought()).isTrue();
          assertThat(outcome.attempts()).isEqualTo(1);
          if (comm.rank() == 0) {
            outcome.sources().forEach(source -> kinds.add(source.kind().label()));
          }
        });
    old.assertTidy();
    return kinds;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 6})
  void containersAreReadWhereTheyLie(int processes) throws IOException {
    OldRanks old = saved.copy();
    assertThat(read(old, processes)).containsOnly("local");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aCopyStandsForAStateThatIsLost(int processes) throws IOException {
    OldRanks old = saved.copy();
    old.loseState(1);
    old.loseState(3);
    assertThat(read(old, processes)).containsExactly("local", "partner", "local", "partner");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void aLostMemberIsDecodedByFewerProcessesThanTheGroupHas(int processes) throws IOException {
    OldRanks old = saved.copy();
    old.sharedIsThere = false;
    old.loseState(1);
    old.loseCopy(1);
    old.loseParity(1);
    assertThat(read(old, processes)).containsExactly("local", "erasure", "local", "local");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void segmentsAreReadWithoutAContainer(int processes) throws IOException {
    OldRanks old = saved.copy();
    for (int rank = 0; rank < OldRanks.MEMBERS; rank++) {
      old.directories.lose(rank);
    }
    assertThat(read(old, processes)).hasSize(OldRanks.MEMBERS).containsOnly("shared");
  }

  // ---------------------------------------------------------------- any of them

  @SeededTest(seeds = 120)
  void anyProcessesForAnyMembers(Random random) throws IOException {
    seeds++;
    OldRanks old = saved.copy();
    old.sharedIsThere = random.nextInt(3) == 0;
    old.memory = random.nextInt(3) * 12_000L;
    for (int member = 0; member < OldRanks.MEMBERS; member++) {
      lose(old, member, random);
    }
    boolean damaged = random.nextInt(3) == 0;
    if (damaged) {
      old.damage(random);
    }
    int processes = 1 + random.nextInt(5);
    int[] readers = random.ints(OldRanks.MEMBERS, 0, processes).toArray();
    List<Found> found = old.survey(processes, rank -> readers[rank]);
    if (found.stream().noneMatch(one -> !one.fragment().versions().isEmpty())) {
      return;
    }
    Want[] wants = new Want[OldRanks.MEMBERS];
    for (int member = 0; member < wants.length; member++) {
      wants[member] = want(processes, random);
    }
    Ranks.run(
        processes,
        comm -> {
          OldRanks.Outcome outcome =
              old.bring(comm, found, OldRanks.STEPS, (member, _) -> wants[member]);
          note(outcome, comm, wants);
          assertThat(damaged || outcome.attempts() == 1).isTrue();
        });
    old.assertTidy();
  }

  private static void lose(OldRanks old, int member, Random random) throws IOException {
    if (random.nextInt(3) == 0) {
      old.loseState(member);
    }
    if (random.nextInt(2) == 0) {
      old.loseCopy(member);
    }
    if (random.nextInt(5) == 0) {
      old.loseParity(member);
    }
  }

  private static Want want(int processes, Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> Want.NOTHING;
      case 1, 2 -> new Want(random.nextInt(processes), Form.CONTAINER);
      default -> new Want(random.nextInt(processes), Form.READABLE);
    };
  }

  private static void note(OldRanks.Outcome outcome, Communicator comm, Want[] wants) {
    REACHED.add(outcome.brought() ? "brought" : "refused");
    REACHED.add(outcome.attempts() == 1 ? "at once" : "done without");
    for (int member = 0; member < outcome.sources().size(); member++) {
      Source source = outcome.sources().get(member);
      boolean here =
          source.kind().equals(TierKind.SHARED) || source.holder() == wants[member].process();
      REACHED.add(
          "%s %s %s".formatted(source.kind(), wants[member].form(), here ? "here" : "there"));
    }
    REACHED.add(comm.size() + " processes");
  }

  @AfterAll
  static void everythingHappened() {
    if (seeds < 100) {
      return; // a replay
    }
    assertThat(REACHED)
        .contains("brought", "refused", "at once", "done without", "1 processes", "5 processes")
        .contains("local CONTAINER there", "local READABLE here", "local READABLE there")
        .contains("partner CONTAINER here", "partner READABLE here", "partner READABLE there")
        .contains("erasure CONTAINER there", "erasure READABLE there", "erasure NOTHING there")
        .contains("shared CONTAINER here", "shared READABLE here");
  }
}
