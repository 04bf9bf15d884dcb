// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.Checkpoint;
import org.cairn.CheckpointDirectoryException;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.Ranks;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.comm.LossyCommunicator;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What most designs of this kind lose data by; each test fails without the decision it is about.
 */
@Timeout(300)
@Tag("slow")
class TrapsTest {
  private final Host host = new Host("host", 1);
  private final SmallJob job = new SmallJob(3, host);

  private CrashingStore store(int rank) {
    return host.create("rank" + rank);
  }

  private void lose(int rank) {
    host.forget("rank" + rank);
  }

  private void kill() throws IOException {
    host.killed();
  }

  // ---------------------------------------------------------------- identity

  @Test
  void noIdentityIsUsedTwice() throws IOException {
    Set<VersionId> given = Collections.synchronizedSet(new HashSet<>());
    for (int life = 0; life < 6; life++) {
      Set<VersionId> inThisLife = Collections.synchronizedSet(new HashSet<>());
      int failing = life % 3;
      job.run(
          rank -> {
            for (int i = 0; i < 3; i++) {
              rank.advance();
              if (i > 0 && rank.number() == failing) {
                // Others have this version, this rank has not: it must not become another one.
                store(failing).fillDiskAfter(0);
              }
              try {
                inThisLife.add(rank.cairn().checkpoint().version());
              } catch (CheckpointFailedException e) {
                inThisLife.addAll(versionsIn(rank.number()));
              }
            }
          });
      store(failing).emptyDisk();
      inThisLife.removeIf(version -> version.epoch() < newestEpoch(inThisLife));
      assertThat(inThisLife).isNotEmpty();
      assertThat(Collections.disjoint(given, inThisLife)).isTrue();
      given.addAll(inThisLife);
      kill();
    }
  }

  private static long newestEpoch(Set<VersionId> versions) {
    return versions.stream().mapToLong(VersionId::epoch).max().orElse(0);
  }

  private List<VersionId> versionsIn(int rank) throws IOException {
    try (ContainerReader reader =
        ContainerReader.open(store(rank), Checkpointer.containerName(rank))) {
      return reader.versions().stream().map(info -> info.id()).toList();
    }
  }

  // ---------------------------------------------------------------- stability

  @Test
  void ranksDoNotDriftApartWhileOneKeepsFailing() throws IOException {
    job.steps(2);
    job.run(
        rank -> {
          if (rank.number() == 1) {
            store(1).fillDiskAfter(0);
          }
          for (int i = 0; i < 8; i++) {
            rank.advance();
            assertThatThrownBy(() -> rank.cairn().checkpoint())
                .isInstanceOf(CheckpointFailedException.class)
                .hasMessageContaining("rank 1")
                .hasMessageContaining("No space left");
          }
        });
    assertThat(job.failures).containsOnlyNulls();
    kill();
    store(1).emptyDisk();
    assertThat(job.restoredStep()).isEqualTo(2);
  }

  @Test
  void aRunThatForgotToRestartTakesNoCheckpointAndDropsNothing() throws IOException {
    job.steps(3);
    kill();
    lose(2); // only its partner has the state of rank 2
    Ranks.run(
        3,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(host, comm, SmallJob.OPTIONS)) {
            cairn.protect("step", 77L);
            for (int i = 0; i < 3; i++) {
              assertThatThrownBy(cairn::checkpoint)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("call restart()");
            }
          }
        });
    kill();
    assertThat(job.restoredStep()).isEqualTo(3);
  }

  @Test
  void aRankThatHasAnOlderVersionOnlyTakesTheOthersBackWithIt() throws IOException {
    job.options = rank -> SmallJob.OPTIONS.tiers(Tiers.none()).retain(3);
    job.run(
        rank -> {
          for (int i = 0; i < 3; i++) {
            rank.advance();
            rank.cairn().checkpoint();
          }
        });
    // The newest superblock of rank 1 is damaged, and with it the newest version.
    CrashingStore old = store(1).afterKill();
    try (ContainerReader reader = ContainerReader.open(old, "rank1.cairn")) {
      assertThat(reader.versions()).hasSize(3);
    }
    job.run(
        rank -> {
          rank.advance();
          rank.cairn().checkpoint();
        });
    host.put("rank1", old);
    assertThat(job.restoredStep()).isEqualTo(3);
    assertThat(job.report().version().orElseThrow().sequence()).isEqualTo(3);
  }

  // ---------------------------------------------------------------- damage

  @Test
  void aDamagedBlockIsRepairedFromThePartner() throws IOException {
    job.steps(3);
    kill();
    damageBlocks("rank1", "rank1.cairn");

    assertThat(job.restoredStep()).isEqualTo(3);
    assertThat(job.report().origins()).containsExactly("local", "partner of rank 2", "local");
    assertThat(job.report().problems()).anyMatch(problem -> problem.contains("digest"));
    kill();
    assertThat(job.restoredStep()).isEqualTo(3);
    assertThat(job.report().origins()).containsOnly("local");
    assertThat(job.report().problems()).isEmpty();
  }

  @Test
  void aDamagedCopyThatWasTheOnlyOneIsReported() throws IOException {
    job.steps(3);
    kill();
    lose(1);
    damageBlocks("rank2", "rank1.partner.cairn");
    job.run(rank -> {});
    assertThat(job.failures).allMatch(CheckpointUnavailableException.class::isInstance);
    assertThat(job.failures.getFirst())
        .hasMessageContaining("partner: damaged at rank 2")
        .hasMessageContaining("digest");
  }

  @Test
  void aDamagedCopyIsMadeAnew() throws IOException {
    job.options = rank -> SmallJob.OPTIONS.retain(3);
    job.steps(2);
    CrashingStore older = store(1).afterKill();
    job.steps(1);
    kill();
    // Only the copy has the newest version of rank 1, and it is damaged.
    host.put("rank1", older);
    damageNewest("rank2", "rank1.partner.cairn");
    assertThat(job.restoredStep()).isEqualTo(2);
    assertThat(job.report().origins()).containsOnly("local");
    assertThat(job.report().problems()).anyMatch(problem -> problem.contains("digest"));

    kill();
    lose(1);
    assertThat(job.restoredStep()).isEqualTo(2);
    assertThat(job.report().origins()).contains("partner of rank 2");
    assertThat(job.report().problems()).isEmpty();
  }

  /** Damages blocks of the newest version, and nothing else. */
  private void damageBlocks(String directory, String name) throws IOException {
    CrashingStore store = (CrashingStore) host.open(directory);
    try (ContainerReader reader = ContainerReader.open(store, name)) {
      var view = reader.view(reader.versions().getFirst().id());
      var u = view.find("u").orElseThrow();
      for (int block = 0; block < u.blocks(); block += 5) {
        store.flipBit(name, 8 * view.place(u, block).offset());
      }
    }
  }

  // ---------------------------------------------------------------- failures while recovering

  @Test
  void aRankMayDieAtAnyOperationOfARestart() throws IOException {
    SmallJob two = new SmallJob(2, host);
    two.steps(2);
    kill();
    CrashingStore first = store(0);
    int kills = 0;
    for (int n = 1; n < 400; n += 3) {
      host.put("rank0", first.afterKill());
      lose(1);
      int at = n;
      AtomicLong operations = new AtomicLong();
      two.comm =
          plain -> {
            LossyCommunicator lossy = new LossyCommunicator(plain, at);
            if (plain.rank() == at % 2) {
              lossy.killAt(at);
            }
            return lossy;
          };
      try {
        two.run(rank -> operations.incrementAndGet());
      } catch (RankFailedException e) {
        kills++;
      }
      kill();
      two.comm = plain -> plain;
      assertThat(two.restoredStep()).as("killed at %d", at).isEqualTo(2);
      if (operations.get() == 2) {
        break; // it was over before the kill
      }
    }
    assertThat(kills).isGreaterThan(5);
  }

  @SeededTest(seeds = 1)
  void aStoreMayCrashAtAnyOperationOfARebuild(long seed) throws IOException {
    SmallJob two = new SmallJob(2, host);
    two.steps(2);
    kill();
    CrashingStore first = store(0);
    for (int n = 1; n < 60; n += 2) {
      host.put("rank0", first.afterKill());
      lose(1);
      store(n % 4 / 2).crashAt(n);
      try {
        two.run(rank -> {});
      } catch (RankFailedException e) {
        assertThat(e).hasMessageContaining("simulated");
      }
      host.crashed(new Random(seed + n));
      assertThat(two.restoredStep()).as("crashed at %d", n).isEqualTo(2);
    }
  }

  // ---------------------------------------------------------------- clear answers

  @Test
  void aRankWithAnotherConfigurationIsNamedOnAllRanks() {
    List<Options> others =
        List.of(
            SmallJob.OPTIONS.retain(7),
            SmallJob.OPTIONS.tiers(Tiers.none().partner(5)),
            SmallJob.OPTIONS.asynchronous(true),
            SmallJob.OPTIONS.every(Duration.ofMinutes(77)));
    for (Options other : others) {
      job.options = rank -> rank == 2 ? other : SmallJob.OPTIONS;
      job.run(rank -> {});
      for (Throwable failure : job.failures) {
        assertThat(failure)
            .isInstanceOf(CheckpointDirectoryException.class)
            .hasMessageContaining("rank 0: partner every 1")
            .hasMessageContaining("rank 2: partner every");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"4,3", "4,5", "1,4", "4,1", "2,1"})
  void anotherNumberOfRanksIsRefusedAndNothingIsLost(int before, int after, @TempDir Path path) {
    onFiles(before, path, 42);
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> onFiles(after, path, 43))
          .hasStackTraceContaining(before + " ranks saved what " + after + " are to go on with")
          .hasStackTraceContaining("nothing says how to divide \"cell\"")
          .hasStackTraceContaining("start with " + before + " ranks");
    }
    assertThat(onFiles(before, path, 44)).isEqualTo(42);
  }

  private static long onFiles(int ranks, Path path, long value) {
    AtomicLong found = new AtomicLong();
    Ranks.run(
        ranks,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(path, comm, SmallJob.OPTIONS)) {
            var cell = cairn.protect("cell", 0L);
            cairn.restart();
            found.set(cell.get());
            cell.set(value);
            cairn.checkpoint();
          }
        });
    return found.get();
  }

  @Test
  void losingTooMuchIsReportedForEachRankAndTier() throws IOException {
    job.steps(2);
    kill();
    lose(0);
    lose(1);
    job.run(rank -> {});
    for (Throwable failure : job.failures) {
      assertThat(failure).isInstanceOf(CheckpointUnavailableException.class);
      for (int rank = 0; rank < 3; rank++) {
        assertThat(failure).hasMessageContaining(", rank " + rank + ": local: ");
      }
      assertThat(failure)
          .hasMessageContaining("partner: no copy")
          .hasMessageContaining("partner: here at rank 2");
    }
  }

  // ---------------------------------------------------------------- calls that belong together

  @Test
  void aRankThatFailsAloneDoesNotGetOutOfStep() throws IOException {
    for (boolean asynchronous : List.of(false, true)) {
      host.lose();
      job.options = rank -> SmallJob.OPTIONS.asynchronous(asynchronous);
      job.run(
          rank -> {
            for (int i = 1; i <= 6; i++) {
              rank.advance();
              int step = i;
              if (i == 3) {
                rank.cairn()
                    .protectOpaque(
                        "moody",
                        () -> {
                          if (rank.number() == 1 && step == 3) {
                            throw new IllegalStateException("not today");
                          }
                          return new byte[1];
                        },
                        bytes -> {});
              }
              try {
                rank.cairn().checkpoint();
              } catch (RuntimeException e) {
                assertThat(e).hasStackTraceContaining("not today");
              }
              if (i == 3) {
                rank.cairn().unprotect("moody");
              }
            }
          });
      assertThat(job.failures).containsOnlyNulls();
      kill();
      assertThat(job.restoredStep()).isEqualTo(6);
    }
  }

  @Test
  void aCheckpointAbortedOnAllRanksIsNoFailure() {
    for (boolean asynchronous : List.of(false, true)) {
      job.options = rank -> SmallJob.OPTIONS.asynchronous(asynchronous);
      job.run(
          rank -> {
            rank.advance();
            rank.cairn().begin().abort();
            rank.cairn().checkpoint().await();
          });
      assertThat(job.failures).containsOnlyNulls();
    }
  }

  @Test
  void aProgramThatFailsInTheMiddleOfACheckpointDoesNotWaitForTheOthers() {
    assertThatThrownBy(
            () ->
                Ranks.run(
                    2,
                    rank -> "node" + rank,
                    comm -> {
                      try (Checkpointer cairn = Checkpointer.open(host, comm, SmallJob.OPTIONS)) {
                        cairn.protect("a", new long[10]);
                        cairn.begin();
                        if (comm.rank() == 1) {
                          throw new IllegalStateException("a bug");
                        }
                        comm.receive(MemorySegment.ofArray(new byte[1]), 1, 5);
                      }
                    }))
        .isInstanceOf(RankFailedException.class)
        .hasStackTraceContaining("a bug");
  }

  @Test
  void aDatasetThatTheOlderVersionLacksIsNotTouchedWhenAnotherRankFindsDamage() throws IOException {
    SmallJob two = new SmallJob(2, host);
    two.options = rank -> SmallJob.OPTIONS.tiers(Tiers.none()).retain(3);
    two.run(
        rank -> {
          rank.advance();
          rank.cairn().checkpoint();
          rank.advance();
          if (rank.number() == 0) {
            rank.cairn().protect("late", new long[] {5});
          }
          rank.cairn().checkpoint();
        });
    assertThat(two.failures).containsOnlyNulls();
    kill();
    damageNewest("rank1", "rank1.cairn");
    Ranks.run(
        2,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(host, comm, two.options.apply(comm.rank()))) {
            long[] late = {-1};
            var step = cairn.protect("step", 0L);
            if (comm.rank() == 0) {
              cairn.protect("late", late);
            }
            cairn.restart();
            assertThat(step.get()).isEqualTo(1);
            assertThat(late).containsExactly(-1);
          }
        });
  }

  /** Damages a block that only the newest version has. */
  private void damageNewest(String directory, String name) throws IOException {
    CrashingStore store = (CrashingStore) host.open(directory);
    try (ContainerReader reader = ContainerReader.open(store, name)) {
      var newest = reader.view(reader.versions().get(0).id());
      var before = reader.view(reader.versions().get(1).id());
      List<Long> places = new ArrayList<>();
      newest.<RuntimeException>forEachChanged(
          before,
          (dataset, block) -> {
            if (dataset.name().equals("step")) {
              places.add(newest.place(dataset, block).offset());
            }
          });
      assertThat(places).isNotEmpty();
      for (long place : places) {
        store.flipBit(name, 8 * place);
      }
    }
  }

  @Test
  void aTransportForOneThreadServesOneThread() {
    job.comm = SingleThreaded::new;
    job.steps(3);
    assertThat(job.report().version()).isEmpty();
    host.forget("rank1");
    job.steps(1);
    assertThat(job.report().origins()).contains("partner of rank 2");
  }

  // ---------------------------------------------------------------- traffic and pace

  @Test
  void onlyDirtyBlocksTravelToThePartner() {
    long[] sent = new long[2];
    Ranks.run(
        2,
        rank -> "node" + rank,
        plain -> {
          LossyCommunicator comm = new LossyCommunicator(plain, 1);
          Options options = SmallJob.OPTIONS.blockSize(4096);
          try (Checkpointer cairn = Checkpointer.open(host, comm, options)) {
            byte[] state = new byte[8 << 20];
            new Random(comm.rank()).nextBytes(state);
            cairn.protect("state", state);
            cairn.checkpoint().await(TierKind.PARTNER);
            long before = comm.meter().bytes();
            int blocks = state.length / 4096;
            for (int block = 0; block < blocks; block += 33) { // 3 %
              state[block * 4096]++;
            }
            cairn.checkpoint().await(TierKind.PARTNER);
            sent[comm.rank()] = comm.meter().bytes() - before;
          }
        });
    long dirty = (8 << 20) / 4096 / 33 + 1L;
    assertThat(sent[0]).isBetween(dirty * 4096, (long) (1.1 * dirty * 4096) + 40 * dirty);
    assertThat(sent[1]).isLessThanOrEqualTo((long) (1.1 * dirty * 4096) + 40 * dirty);
  }

  @Test
  void anInterruptedTransferSendsOnlyWhatIsMissing() throws IOException {
    SmallJob two = new SmallJob(2, host);
    two.steps(4);
    kill();
    AtomicLong sent = new AtomicLong();
    two.comm =
        plain -> {
          LossyCommunicator lossy = new LossyCommunicator(plain, 1);
          if (plain.rank() == 0) {
            meters.add(lossy);
          }
          return lossy;
        };
    // All is in place: a restart compares and sends next to nothing.
    two.run(rank -> {});
    sent.set(meters.getLast().meter().bytes());
    assertThat(sent.get()).isLessThan(10_000);
    kill();
    // One version behind: only the difference.
    lose(1);
    two.run(rank -> {});
    assertThat(meters.getLast().meter().bytes()).isGreaterThan(8000);
  }

  private final List<LossyCommunicator> meters = Collections.synchronizedList(new ArrayList<>());

  @Test
  void aSlowTierIsSkippedAndCatchesUp() throws IOException {
    SmallJob two = new SmallJob(2, host);
    two.options =
        rank -> SmallJob.OPTIONS.tiers(Tiers.none().partner(1).patience(Duration.ofMillis(20)));
    List<LossyCommunicator> slow = Collections.synchronizedList(new ArrayList<>());
    two.comm =
        plain -> {
          LossyCommunicator lossy = new LossyCommunicator(plain, 3);
          slow.add(lossy);
          return lossy;
        };
    two.run(
        rank -> {
          rank.advance();
          rank.cairn().checkpoint().await(TierKind.PARTNER);
          // The store of rank 0 takes its time with the copy, not with the container.
          if (rank.number() == 0) {
            store(0)
                .onOperation(
                    operation -> {
                      if ("rank1.partner.cairn".equals(operation.name())) {
                        sleep(400);
                      }
                    });
          }
          rank.advance();
          Checkpoint held = rank.cairn().checkpoint();
          rank.advance();
          Optional<Checkpoint> skipping = Optional.of(rank.cairn().checkpoint());
          boolean skipped = !skipping.get().tiers().contains(TierKind.PARTNER);
          assertThat(skipped || held.isAt(TierKind.PARTNER)).isTrue();
          held.await(TierKind.PARTNER);
          store(0).onOperation(operation -> {});
          rank.advance();
          Checkpoint last = rank.cairn().checkpoint();
          assertThat(last.tiers()).contains(TierKind.PARTNER);
          last.await(TierKind.PARTNER);
        });
    assertThat(two.failures).containsOnlyNulls();
    assertThat(events(1)).contains("tierSkipped");
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String events(int rank) throws IOException {
    try (StoreFile file = store(rank).open("events.jsonl", Store.Access.READ)) {
      byte[] text = new byte[(int) file.size()];
      file.read(0, MemorySegment.ofArray(text));
      return new String(text, StandardCharsets.UTF_8);
    }
  }
}
