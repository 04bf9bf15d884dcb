// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.testkit.comm.CutCommunicator;
import org.cairn.testkit.comm.CutCommunicator.Cut;
import org.cairn.testkit.random.Thorough;
import org.cairn.tier.Deltas;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Home;
import org.cairn.tier.Roles;
import org.cairn.tier.Roles.Form;
import org.cairn.tier.Roles.Want;
import org.cairn.tier.Tier;
import org.cairn.tier.TierTypes;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tier work is given up by all at any message, and begun anew by other processes for the same
 * ranks: nothing is left of the first attempt that harms the second.
 */
@Timeout(120)
@Thorough
class GivenUpTest {
  /** What a process does with a communicator that may be cut. */
  private interface Deed {
    void run(Communicator comm) throws Exception;
  }

  /** Lets processes do something until the communicator is cut; how many were done. */
  private static int untilCut(int processes, Cut cut, Deed deed) {
    AtomicInteger done = new AtomicInteger();
    CountDownLatch end = new CountDownLatch(processes);
    Ranks.run(
        processes,
        rank -> "node" + rank,
        plain -> {
          try {
            deed.run(new CutCommunicator(plain, cut));
            done.incrementAndGet();
          } catch (CommunicationException e) {
            assertThat(cut.hasHappened()).isTrue();
          } finally {
            end.countDown();
          }
          // Whoever still waits for a message of somebody who gave up learns of it by his end.
          if (!cut.hasHappened()) {
            assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
          }
        });
    return done.get();
  }

  /** About so many messages are tried, evenly spread; the profile {@code kills} tries all. */
  private static final int CUTS = 16;

  private static long stride(Cut counting) {
    return Boolean.getBoolean(Thorough.PROPERTY) ? 1 : oddAtLeast(counting.messages() / CUTS);
  }

  /** What is tried alternates with the number of the message: an odd stride meets both. */
  private static long oddAtLeast(long stride) {
    return Math.max(1, stride | 1);
  }

  // ---------------------------------------------------------------- bringing a state back

  private static Roles.Wishes dealtOut(int processes, Form form) {
    return (member, _) -> new Want(member % processes, form);
  }

  private static void bring(OldRanks old, Communicator comm, List<Found> found, Form form)
      throws IOException {
    OldRanks.Outcome outcome = old.bring(comm, found, OldRanks.STEPS, dealtOut(comm.size(), form));
    assertThat(outcome.brought()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"partner", "erasure"})
  void aRebuildAtEveryMessage(String kind) throws IOException {
    OldRanks saved =
        OldRanks.of(
            kind.equals("partner")
                ? Tiers.none().partner(1)
                : Tiers.none().erasure(1).group(OldRanks.MEMBERS, 2));
    saved.sharedIsThere = false;
    saved.loseState(1);
    List<Found> byFour = saved.survey(4, rank -> rank);
    Cut counting = Cut.never();
    OldRanks whole = saved.copy();
    assertThat(untilCut(4, counting, comm -> bring(whole, comm, byFour, Form.CONTAINER)))
        .isEqualTo(4);
    assertThat(counting.messages()).isGreaterThan(10);
    int givenUp = 0;
    int tried = 0;
    for (long n = 1; n <= counting.messages(); n += stride(counting)) {
      tried++;
      OldRanks old = saved.copy();
      int done = untilCut(4, Cut.at(n), comm -> bring(old, comm, byFour, Form.CONTAINER));
      givenUp += done < 4 ? 1 : 0;
      old.assertTidy();
      int others = 1 + (int) (n % 3);
      List<Found> found = old.survey(others, rank -> (rank + 1) % others);
      Form form = n % 2 == 0 ? Form.READABLE : Form.CONTAINER;
      assertThat(untilCut(others, Cut.never(), comm -> bring(old, comm, found, form)))
          .isEqualTo(others);
      old.assertTidy();
    }
    assertThat(givenUp).isGreaterThan(tried / 2);
  }

  // ---------------------------------------------------------------- bringing a state there

  @ParameterizedTest
  @ValueSource(strings = {"partner", "erasure", "shared"})
  void aProtectionAtAnyMessage(String kind) throws IOException {
    OldRanks saved = OldRanks.of(Tiers.none());
    List<Found> found = saved.survey(4, rank -> rank);
    Lineage lineage = OldRanks.life(found).lineage();
    VersionId first = OldRanks.version(found, 1);
    VersionId second = OldRanks.version(found, 2);
    protect(saved, kind, lineage, first, Cut.never());
    Cut counting = Cut.never();
    assertThat(protect(saved.copy(), kind, lineage, second, counting)).isEqualTo(4);
    int tried = 0;
    int givenUp = 0;
    for (long n = 1; n <= counting.messages(); n += stride(counting)) {
      tried++;
      OldRanks old = saved.copy();
      int done = protect(old, kind, lineage, second, Cut.at(n));
      givenUp += done < 4 ? 1 : 0;
      verifyLost(old.copy(), 1);
      assertThat(protect(old, kind, lineage, second, Cut.never())).isEqualTo(4);
      verifyLost(old, 2);
    }
    assertThat(givenUp).isGreaterThan(tried / 2);
  }

  /** New processes with nothing in memory bring a version to a tier. */
  private static int protect(
      OldRanks old, String kind, Lineage lineage, VersionId version, Cut cut) {
    Tiers tiers =
        switch (kind) {
          case "partner" -> Tiers.none().partner(1);
          case "erasure" -> Tiers.none().erasure(1).group(OldRanks.MEMBERS, 2);
          default -> OldRanks.sharing(old.shared);
        };
    List<String> domains = List.of("node0", "node1", "node2", "node3");
    return untilCut(
        OldRanks.MEMBERS,
        cut,
        comm -> {
          Home home = old.home(comm.rank(), OldRanks.MEMBERS);
          home.enter(lineage, FileNames.local(comm.rank()));
          TierOpening opening =
              new TierOpening(comm, domains, home, tiers, Clock.system(), _ -> {});
          try (Tier tier =
              TierTypes.find(TierTypes.kindCalled(kind).number())
                  .orElseThrow()
                  .open(opening)
                  .orElseThrow()) {
            tier.protect(version, Deltas.UNKNOWN);
          }
        });
  }

  /** Two processes have the version of all, without the state of one. */
  private static void verifyLost(OldRanks old, long step) throws IOException {
    old.loseState(2);
    List<Found> found = old.survey(2, rank -> rank / 2);
    Ranks.run(
        2,
        comm -> {
          OldRanks.Outcome outcome = old.bring(comm, found, step, dealtOut(2, Form.READABLE));
          assertThat(outcome.brought()).as("step %d", step).isTrue();
        });
  }
}
