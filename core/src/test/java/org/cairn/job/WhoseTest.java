// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.cairn.CheckpointUnavailableException;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.container.ContainerReader;
import org.cairn.hash.Xxh3;
import org.cairn.job.Stage.Start;
import org.cairn.store.Directories;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whose checkpoint it is: the cases by which states of two runs were mixed, lost or overwritten.
 */
@Timeout(600)
@Tag("slow")
class WhoseTest {
  /** Of operations that one of several ranks dies at; a lone one dies at each. */
  private static final int STRIDE = Boolean.getBoolean(Thorough.PROPERTY) ? 1 : 4;

  private static final Class<CheckpointUnavailableException> UNAVAILABLE =
      CheckpointUnavailableException.class;

  private final Stage stage = new Stage(8, 1);

  private static String life(VersionId version) {
    return version.job().brief() + "-" + version.run().brief();
  }

  private static VersionId newest(Start start) {
    return start.completed.keySet().stream().max(VersionId::compareTo).orElseThrow();
  }

  // ---------------------------------------------------------------- two jobs, one place

  @Test
  void rankDirectoriesOfTwoJobsAreNotCombined() throws IOException {
    Start a = stage.start(0, 1, 2, 3).steps(4).succeeds();
    Start b = stage.start(4, 5, 6, 7).steps(4).succeeds();
    assertThat(newest(a)).hasToString(newest(b).toString());
    stage.kill();
    Map<String, Long> before = stage.checksums();
    String message = stage.start(0, 1, 6, 7).run(actor -> {}).refused(UNAVAILABLE);
    assertThat(message)
        .contains(life(newest(a)), life(newest(b)))
        .contains("rank0/rank0.cairn of rank 0", "rank3/rank3.cairn of rank 3");
    assertThat(stage.checksums()).isEqualTo(before);
    stage.kill();
    assertThat(stage.start(0, 1, 2, 3).run(actor -> {}).origin()).isEqualTo(a.number);
    assertThat(stage.start(4, 5, 6, 7).run(actor -> {}).origin()).isEqualTo(b.number);
  }

  @Test
  void aNodeThatReturnsAfterTheUserBeganAnewIsNotMixedIn() throws IOException {
    Start old = stage.start(0, 1, 2).steps(3).succeeds();
    stage.kill();
    // Node 2 drops out; on 0, 1 and 3 the user begins anew, with other parameters.
    Start anew = stage.start(0, 1, 3).request(RestartRequest.beginAnew()).steps(3).succeeds();
    assertThat(newest(anew).job()).isNotEqualTo(newest(old).job());
    stage.kill();
    // It returns: its state and its copy of rank 1 have the same numbers as what is there.
    Start back = stage.start(0, 1, 2).run(actor -> {});
    if (back.failures[0] == null) {
      assertThat(back.origin()).isEqualTo(anew.number);
    } else {
      assertThat(back.refused(UNAVAILABLE)).contains(newest(anew).exact());
    }
    stage.kill();
    assertThat(stage.start(0, 1, 3).run(actor -> {}).origin()).isEqualTo(anew.number);
  }

  @Test
  void aFileBelongsToTheRankItNamesInside() throws IOException {
    Start job = stage.start(0, 1, 2, 3).steps(2).succeeds();
    stage.kill();
    Stage.write(stage.store(1, 1), "rank1.cairn", Stage.read(stage.store(3, 3), "rank3.cairn"));
    Start again = stage.start(0, 1, 2, 3).run(actor -> {});
    assertThat(again.origin()).as("the copy with the partner is used").isEqualTo(job.number);
    assertThat(again.version()).isEqualTo(newest(job));
    assertThat(again.report().origins().get(1)).contains("partner");
  }

  @Test
  void withoutACopyAFileOfAnotherRankIsNoState() throws IOException {
    stage.start(0, 1, 2, 3).tiers(Tiers.none()).steps(2).succeeds();
    stage.kill();
    Stage.write(stage.store(1, 1), "rank1.cairn", Stage.read(stage.store(3, 3), "rank3.cairn"));
    Start again = stage.start(0, 1, 2, 3).tiers(Tiers.none()).run(actor -> {});
    assertThat(again.refused(UNAVAILABLE)).contains("rank 1: local: no container");
  }

  @Test
  void aRankOfFourIsNoJobOfOne() throws IOException {
    stage.start(0, 1, 2, 3).steps(2).succeeds();
    stage.kill();
    byte[] stray = Stage.read(stage.store(2, 2), "rank2.cairn");
    Stage.write(stage.store(4, 0), "rank0.cairn", stray);
    Start alone = stage.start(4).run(actor -> {});
    assertThat(alone.refused(UNAVAILABLE)).contains("rank 3: local: no container");
    assertThat(Stage.read(stage.store(4, 0), "rank0.cairn")).isEqualTo(stray);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"run-20251116", "run-5f0c91aa", "x.partner", "z.parity", "rank1", "a.new"})
  void aJobFindsItsFilesWhateverItIsCalled(String name) throws IOException {
    Start job = stage.start(0, 1).job(name).steps(2).succeeds();
    stage.kill();
    Start other = stage.start(0, 1).job(name.substring(0, 1)).steps(1).succeeds();
    assertThat(other.report().isRestored()).isFalse();
    stage.kill();
    assertThat(stage.start(0, 1).job(name).run(actor -> {}).origin()).isEqualTo(job.number);
  }

  @Test
  void aJobPrunesNothingOfAnotherName() throws IOException {
    stage.start(0, 1).job("run-20251116").steps(2).succeeds();
    stage.kill();
    Map<String, Long> before = stage.checksums();
    Start other = stage.start(0, 1).job("run");
    other.options = other.options.pruneOthersAfter(Duration.ofMillis(1));
    other.steps(1).succeeds();
    assertThat(stage.checksums()).containsAllEntriesOf(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"backup.cairn", "rank1-copy.cairn", "rank0+q.cairn", "rank7.parity.cairn"})
  void aFileIsWhatItSaysInsideWhateverItIsCalled(String name) throws IOException {
    Start job = stage.start(0, 1).tiers(Tiers.none()).steps(2).succeeds();
    stage.kill();
    stage.store(1, 1).rename("rank1.cairn", name);
    Start again = stage.start(0, 1).tiers(Tiers.none()).steps(1);
    assertThat(again.origin()).isEqualTo(job.number);
    stage.kill();
    assertThat(stage.start(0, 1).tiers(Tiers.none()).run(actor -> {}).origin())
        .isEqualTo(again.number);
  }

  @Test
  void versionsUnderTheNameOfAnUnfinishedFileAreNotOverwritten() throws IOException {
    stage.start(0).tiers(Tiers.none()).steps(2).succeeds();
    stage.kill();
    stage.store(0, 0).rename("rank0.cairn", "rank0.cairn.new");
    Map<String, Long> before = stage.checksums();
    assertThat(stage.start(0).tiers(Tiers.none()).run(actor -> {}).refused(UNAVAILABLE))
        .contains("rank0.cairn.new", "rename it");
    assertThat(stage.checksums()).isEqualTo(before);
  }

  @Test
  void whoOnlyHasToChooseDoesNotBeginAnewInstead() throws IOException {
    Start a = stage.start(0, 1).steps(2).succeeds();
    Start b = stage.start(2, 3).steps(2).succeeds();
    stage.kill();
    stage.copy(2, "rank0", 0, "rank8");
    stage.copy(3, "rank1", 1, "rank8");
    Start loop = stage.start(0, 1).request(RestartRequest.newest().orBeginAnew()).run(actor -> {});
    assertThat(loop.refused(UNAVAILABLE)).contains(life(newest(a)), life(newest(b)));
  }

  @Test
  void beginningAnewBesideAnOlderJobWithMoreFiles() throws IOException {
    Tiers many = Tiers.none().partner(1).erasure(1);
    Start old = stage.start(0, 1, 2, 3).tiers(many).retain(3).steps(5).succeeds();
    stage.kill();
    Map<String, Long> before = stage.checksums();
    Start anew =
        stage
            .start(0, 1, 2, 3)
            .tiers(Tiers.none())
            .request(RestartRequest.beginAnew())
            .steps(1)
            .succeeds();
    assertThat(anew.report().isRestored()).isFalse();
    assertThat(anew.report().problems()).anyMatch(line -> line.contains(life(newest(old))));
    assertThat(stage.checksums()).containsAllEntriesOf(before);
    stage.kill();
    Start next = stage.start(0, 1, 2, 3).tiers(Tiers.none()).run(actor -> {});
    assertThat(next.origin()).isEqualTo(anew.number);
    // The old one can still be asked for.
    stage.kill();
    Start back =
        stage
            .start(0, 1, 2, 3)
            .tiers(many)
            .request(RestartRequest.newest().job(life(newest(old))))
            .run(actor -> {});
    assertThat(back.origin()).isEqualTo(old.number);
  }

  @Test
  void fallingBackGoingOnAndTheLostNodesReturn() throws IOException {
    Start first = stage.start(0, 1, 2).tiers(Tiers.none()).retain(3).steps(2).succeeds();
    stage.kill();
    CrashingStore early = stage.store(2, 2).afterKill();
    Start second = stage.start(0, 1, 2).tiers(Tiers.none()).retain(3).steps(1).succeeds();
    stage.kill();
    // Node 2 is replaced by one with an old backup.
    CrashingStore late = stage.store(2, 2);
    stage.nodes.get(2).put("rank2", early);
    Start fallen = stage.start(0, 1, 2).tiers(Tiers.none()).retain(3).steps(1).succeeds();
    assertThat(fallen.origin()).isEqualTo(first.number);
    assertThat(newest(fallen).epoch()).isGreaterThan(newest(second).epoch());
    stage.kill();
    assertThat(stage.start(0, 1, 2).tiers(Tiers.none()).run(actor -> {}).origin())
        .isEqualTo(fallen.number);
    stage.kill();
    // The lost disk returns, beside the new one: what it has was left behind.
    stage.nodes.get(3).put("rank2", late);
    Start with = stage.start(0, 1, 2).tiers(Tiers.none()).run(actor -> {});
    assertThat(with.origin()).isEqualTo(fallen.number);
  }

  @Test
  void aFinishedJobsFilesOnReplacedNodesAreLeftAlone() throws IOException {
    Start finished = stage.start(3, 4, 5).steps(3).succeeds();
    stage.kill();
    Start mine = stage.start(0, 1, 2).steps(3).succeeds();
    stage.kill();
    byte[] old = Stage.read(stage.store(5, 2), "rank2.cairn");
    byte[] oldCopy = Stage.read(stage.store(5, 2), "rank1.partner.cairn");
    // Node 2 is replaced by node 5, where a part of the old job is: the copy on node 0 is enough.
    Start moved = stage.start(0, 1, 5).steps(2);
    assertThat(moved.origin()).isEqualTo(mine.number);
    assertThat(moved.report().problems()).anyMatch(line -> line.contains(life(newest(finished))));
    assertThat(Stage.read(stage.store(5, 2), "rank2.cairn")).isEqualTo(old);
    assertThat(Stage.read(stage.store(5, 2), "rank1.partner.cairn")).isEqualTo(oldCopy);
    assertThat(stage.store(5, 2).list())
        .anyMatch(name -> name.matches("rank2@[0-9a-f]{8}\\.cairn"))
        .anyMatch(name -> name.matches("rank1\\.partner@[0-9a-f]{8}\\.cairn"));
    stage.kill();
    Start again = stage.start(0, 1, 5).run(actor -> {});
    assertThat(again.origin()).isEqualTo(moved.number);
    assertThat(again.report().origins()).containsOnly("local");
    stage.kill();
    Start back =
        stage
            .start(3, 4, 5)
            .request(RestartRequest.newest().job(life(newest(finished))))
            .run(actor -> {});
    assertThat(back.origin()).isEqualTo(finished.number);
  }

  // ---------------------------------------------------------------- names

  @Test
  void tasksOfAnArrayShareADirectoryAtTheSameTime() throws Exception {
    Start[] tasks = new Start[3];
    for (int round = 0; round < 2; round++) {
      List<Thread> threads = new ArrayList<>();
      CountDownLatch all = new CountDownLatch(tasks.length);
      for (int i = 0; i < tasks.length; i++) {
        Start task = stage.start(0, 1).job("task-" + i);
        int last = round == 0 ? 0 : tasks[i].number;
        tasks[i] = task;
        threads.add(
            Thread.startVirtualThread(
                () ->
                    task.run(
                        actor -> {
                          all.countDown();
                          all.await(20, TimeUnit.SECONDS); // all of them are open
                          if (last > 0) {
                            assertThat(stage.origins.get(actor.token()).start()).isEqualTo(last);
                          }
                          actor.step();
                          actor.checkpoint();
                        })));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      for (Start task : tasks) {
        task.succeeds();
      }
      stage.kill();
    }
    // A job without a name has nothing to do with them.
    assertThat(stage.start(0, 1).run(actor -> {}).report().isRestored()).isFalse();
  }

  @Test
  void twoNamesInOneSharedDirectoryWithAllLocalFilesGone() throws IOException {
    MemoryStore shared = new MemoryStore();
    Tiers tiers = Tiers.none().shared(shared, 1).leaseRest(Duration.ofMillis(300));
    Start one = stage.start(0, 1).job("plate-7").tiers(tiers).steps(2).succeeds();
    Start two = stage.start(2, 3).job("plate-8").tiers(tiers).steps(3).succeeds();
    stage.kill();
    stage.nodes.forEach(Host::lose);
    assertThat(stage.start(4, 5).job("plate-8").tiers(tiers).run(actor -> {}).origin())
        .isEqualTo(two.number);
    assertThat(stage.start(4, 5).job("plate-7").tiers(tiers).run(actor -> {}).origin())
        .isEqualTo(one.number);
    // Without a name it is neither of them.
    assertThat(stage.start(6, 7).tiers(tiers).run(actor -> {}).report().isRestored()).isFalse();
  }

  @Test
  void killedAndStartedAgainOnASharedDirectory() throws IOException {
    MemoryStore shared = new MemoryStore();
    Tiers tiers = Tiers.none().shared(shared, 1);
    for (int life = 1; life <= 4; life++) {
      Start start = stage.start(0, 1).tiers(tiers);
      start.run(
          actor -> {
            actor.step();
            actor.checkpoint();
            actor.cairn.flush(TierKind.SHARED);
            actor.step();
            if (actor.rank == 0) {
              stage.store(0, 0).crash(); // nothing is given back
            }
            actor.checkpoint();
          });
      assertThat(start.reports[0]).isNotNull();
      assertThat(start.reports[0].isRestored()).isEqualTo(life > 1);
      stage.kill();
    }
  }

  // ---------------------------------------------------------------- forks

  @Test
  void aCopyThatGoesOnBesideItsOriginal() throws IOException {
    Start root = stage.start(0, 1).steps(2).succeeds();
    stage.kill();
    stage.copy(0, "rank0", 2, "rank0");
    stage.copy(1, "rank1", 3, "rank1");
    Start original = stage.start(0, 1).steps(1).succeeds();
    Start copy = stage.start(2, 3).steps(2).succeeds();
    assertThat(original.origin()).isEqualTo(root.number);
    assertThat(copy.origin()).isEqualTo(root.number);
    stage.kill();
    Map<String, Long> before = stage.checksums();
    assertThat(stage.start(0, 3).run(actor -> {}).refused(UNAVAILABLE))
        .contains(life(newest(original)), life(newest(copy)));
    assertThat(stage.checksums()).isEqualTo(before);
    stage.kill();
    Start chosen =
        stage
            .start(0, 3)
            .request(RestartRequest.newest().job(life(newest(original))))
            .steps(1)
            .succeeds();
    assertThat(chosen.origin()).isEqualTo(original.number);
    stage.kill();
    for (String file : before.keySet()) {
      if (file.startsWith("2/") || file.startsWith("3/")) {
        assertThat(stage.checksums()).as(file).containsEntry(file, before.get(file));
      }
    }
    // The choice left the copy behind.
    assertThat(stage.start(0, 3).run(actor -> {}).origin()).isEqualTo(chosen.number);
    stage.kill();
    assertThat(
            stage
                .start(2, 3)
                .request(RestartRequest.newest().job(life(newest(copy))))
                .run(actor -> {})
                .origin())
        .isEqualTo(copy.number);
  }

  @Test
  void aChoiceIsNotForgottenIfItsRunDiesBeforeItsFirstVersion() throws IOException {
    Start a = stage.start(0, 1).steps(2).succeeds();
    Start b = stage.start(2, 3).steps(2).succeeds();
    stage.kill();
    stage.copy(2, "rank0", 0, "rank8");
    stage.copy(3, "rank1", 0, "rank9");
    assertThat(stage.start(0, 1).run(actor -> {}).refused(UNAVAILABLE))
        .contains(life(newest(a)), life(newest(b)));
    stage.kill();
    Start chosen =
        stage.start(0, 1).request(RestartRequest.newest().job(life(newest(a)))).run(actor -> {});
    assertThat(chosen.origin()).isEqualTo(a.number);
    for (int i = 0; i < 3; i++) {
      stage.kill();
      assertThat(stage.start(0, 1).run(actor -> {}).origin()).isEqualTo(a.number);
    }
  }

  // ---------------------------------------------------------------- nothing usable, nothing saved

  @Test
  void unreadableContainersAreNotNothing() throws IOException {
    Start job = stage.start(0, 1).steps(2).succeeds();
    stage.kill();
    for (int rank = 0; rank < 2; rank++) {
      for (String file : stage.store(rank, rank).list()) {
        if (file.endsWith(".cairn")) {
          Stage.write(stage.store(rank, rank), file, new byte[10_000]);
        }
      }
    }
    Map<String, Long> before = stage.checksums();
    for (int i = 0; i < 2; i++) {
      assertThat(stage.start(0, 1).run(actor -> {}).refused(UNAVAILABLE))
          .contains("rank0.cairn", "rank1.cairn", "rank1.partner.cairn", "--begin-anew");
      assertThat(stage.checksums()).isEqualTo(before);
      stage.kill();
    }
    Start anew =
        stage.start(0, 1).request(RestartRequest.newest().orBeginAnew()).steps(1).succeeds();
    assertThat(anew.report().isRestored()).isFalse();
    assertThat(anew.report().problems()).anyMatch(line -> line.startsWith("BEGINS ANEW"));
    assertThat(newest(anew).job()).isNotEqualTo(newest(job).job());
    stage.kill();
    assertThat(stage.start(0, 1).run(actor -> {}).origin()).isEqualTo(anew.number);
  }

  @Test
  void whoBeginsAnewAfterAllFindsItsMemoryUntouched() throws IOException {
    stage.start(0, 1).tiers(Tiers.none()).steps(1).succeeds();
    stage.kill();
    CrashingStore store = stage.store(1, 1);
    try (ContainerReader reader = ContainerReader.open(store, "rank1.cairn")) {
      var view = reader.view(reader.versions().getFirst().id());
      var u = view.find("u").orElseThrow();
      store.flipBit("rank1.cairn", 8 * view.place(u, u.blocks() - 1).offset());
    }
    // Every actor checks that its state is that of one moment, or none at all.
    Start anew =
        stage
            .start(0, 1)
            .tiers(Tiers.none())
            .request(RestartRequest.newest().orBeginAnew())
            .run(actor -> {})
            .succeeds();
    assertThat(anew.report().isRestored()).isFalse();
    assertThat(anew.report().problems()).anyMatch(line -> line.contains("digest"));
  }

  @Test
  void aNewerFormatIsNeverRenamedNorPassedOver() throws IOException {
    Start job = stage.start(0, 1).tiers(Tiers.none()).steps(2).succeeds();
    stage.kill();
    byte[] file = Stage.read(stage.store(1, 1), "rank1.cairn");
    byte[] newer = file.clone();
    // The release that wrote it stands in each superblock, behind magic and byte order.
    byte[] magic = Arrays.copyOf(file, 8);
    for (int i = 0; i + 16 < newer.length; i++) {
      if (Arrays.equals(newer, i, i + 8, magic, 0, 8)) {
        newer[i + 12] = 99;
      }
    }
    Stage.write(stage.store(1, 1), "rank1.cairn", newer);
    Map<String, Long> before = stage.checksums();
    for (RestartRequest request :
        List.of(RestartRequest.newest(), RestartRequest.newest().job(life(newest(job))))) {
      stage.start(0, 1).tiers(Tiers.none()).request(request).run(a -> {}).refused(UNAVAILABLE);
      assertThat(stage.checksums()).isEqualTo(before);
      stage.kill();
    }
    Start anew =
        stage
            .start(0, 1)
            .tiers(Tiers.none())
            .request(RestartRequest.newest().orBeginAnew())
            .steps(1)
            .succeeds();
    assertThat(anew.report().isRestored()).isFalse();
    assertThat(stage.checksums()).containsAllEntriesOf(before);
    stage.kill();
    // The file was left behind as it is, by all who go on from there.
    for (RestartRequest request :
        List.of(RestartRequest.newest().orBeginAnew(), RestartRequest.newest())) {
      Start next = stage.start(0, 1).tiers(Tiers.none()).request(request).run(actor -> {});
      assertThat(next.origin()).isEqualTo(anew.number);
      assertThat(stage.checksums()).containsAllEntriesOf(before);
      stage.kill();
    }
    // When the newer release has gone on with it, it must not be passed over, nor what was computed
    // meanwhile be given up.
    byte[] later = newer.clone();
    later[48]++;
    Stage.write(stage.store(1, 1), "rank1.cairn", later);
    assertThat(
            stage
                .start(0, 1)
                .tiers(Tiers.none())
                .request(RestartRequest.newest().orBeginAnew())
                .run(actor -> {})
                .refused(UNAVAILABLE))
        .contains("another release", "--begin-anew");
    stage.kill();
    Stage.write(stage.store(1, 1), "rank1.cairn", file);
    Start old =
        stage
            .start(0, 1)
            .tiers(Tiers.none())
            .request(RestartRequest.newest().job(life(newest(job))))
            .run(actor -> {});
    assertThat(old.origin()).isEqualTo(job.number);
  }

  @Test
  void aNewerFormatThatWasLeftBehindIsSoAlsoBeforeTheFirstCheckpoint() throws IOException {
    stage.start(0, 1).tiers(Tiers.none()).steps(2).succeeds();
    stage.kill();
    for (int rank : new int[] {0, 1}) {
      CrashingStore store = stage.store(rank, rank);
      byte[] newer = Stage.read(store, "rank" + rank + ".cairn");
      newer[12] = 99;
      newer[4096 + 12] = 99;
      Stage.write(store, "rank" + rank + ".cairn", newer);
    }
    stage
        .start(0, 1)
        .tiers(Tiers.none())
        .request(RestartRequest.beginAnew())
        .run(actor -> {})
        .succeeds();
    stage.kill();
    Start again = stage.start(0, 1).tiers(Tiers.none()).steps(1).succeeds();
    assertThat(again.report().isRestored()).isFalse();
    stage.kill();
    assertThat(stage.start(0, 1).tiers(Tiers.none()).run(actor -> {}).origin())
        .isEqualTo(again.number);
  }

  @Test
  void aNewerFormatInTheSharedDirectoryIsNotPassedOver() throws IOException {
    MemoryStore shared = new MemoryStore();
    Tiers tiers = Tiers.none().shared(shared, 1).leaseRest(Duration.ofMillis(300));
    Start job = stage.start(0, 1).tiers(tiers).steps(2).succeeds();
    stage.kill();
    makeNewer(shared);
    // Beside local files of the same job, which may be older, and without any.
    assertThat(stage.start(0, 1).tiers(tiers).run(actor -> {}).refused(UNAVAILABLE))
        .contains("another release");
    stage.kill();
    assertThat(stage.start(0, 1).tiers(Tiers.none()).run(actor -> {}).origin())
        .isEqualTo(job.number);
    stage.kill();
    stage.nodes.forEach(Host::lose);
    assertThat(stage.start(0, 1).tiers(tiers).run(actor -> {}).refused(UNAVAILABLE))
        .contains("another release");
    // A job that has files of its own need not care for those of others.
    Start named = stage.start(2, 3).job("other").tiers(Tiers.none()).steps(1).succeeds();
    stage.kill();
    assertThat(stage.start(2, 3).job("other").tiers(tiers).run(actor -> {}).origin())
        .isEqualTo(named.number);
    stage.kill();
    Start anew =
        stage
            .start(0, 1)
            .tiers(tiers)
            .request(RestartRequest.newest().orBeginAnew())
            .steps(1)
            .succeeds();
    stage.kill();
    assertThat(stage.start(0, 1).tiers(tiers).run(actor -> {}).origin()).isEqualTo(anew.number);
  }

  private static void makeNewer(MemoryStore shared) throws IOException {
    for (String file : shared.list()) {
      if (file.startsWith("seg") || file.startsWith("manifest")) {
        byte[] bytes = Stage.read(shared, file);
        bytes[12] = 99;
        long[] checksum = new long[2];
        Xxh3.digest(MemorySegment.ofArray(bytes), 0, 80, checksum, 0);
        ByteBuffer.wrap(bytes)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(80, checksum[0])
            .putLong(88, checksum[1]);
        Stage.write(shared, file, bytes);
      }
    }
  }

  @Test
  void manifestsWithoutSegmentsAreNotNothing() throws IOException {
    MemoryStore shared = new MemoryStore();
    Tiers tiers = Tiers.none().shared(shared, 1).leaseRest(Duration.ofMillis(300));
    stage.start(0, 1).tiers(tiers).steps(2).succeeds();
    stage.kill();
    stage.nodes.forEach(Host::lose);
    for (String file : shared.list()) {
      if (file.startsWith("seg")) {
        shared.delete(file);
      }
    }
    assertThat(stage.start(2, 3).tiers(tiers).run(actor -> {}).refused(UNAVAILABLE))
        .contains("--begin-anew");
    stage.kill();
    Start anew =
        stage.start(2, 3).tiers(tiers).request(RestartRequest.newest().orBeginAnew()).steps(1);
    assertThat(anew.report().isRestored()).isFalse();
    stage.kill();
    assertThat(stage.start(2, 3).tiers(tiers).run(actor -> {}).origin()).isEqualTo(anew.number);
  }

  @Test
  void aPurgedSegmentIsNotMadeUpForByAnotherRun() throws IOException {
    MemoryStore shared = new MemoryStore();
    Tiers tiers = Tiers.none().shared(shared, 1).sharedGroup(1).leaseRest(Duration.ofMillis(300));
    stage.start(0, 1).tiers(tiers).steps(1).succeeds();
    String purged = shared.list().stream().filter(f -> f.startsWith("seg")).findFirst().get();
    shared.delete(purged);
    stage.kill();
    stage.nodes.forEach(Host::lose);
    Start second =
        stage
            .start(0, 1)
            .tiers(tiers)
            .request(RestartRequest.newest().orBeginAnew())
            .steps(2)
            .succeeds();
    assertThat(second.report().isRestored()).isFalse();
    stage.kill();
    stage.nodes.forEach(Host::lose);
    Start third = stage.start(0, 1).tiers(tiers).run(actor -> {});
    assertThat(third.origin()).isEqualTo(second.number);
  }

  @Test
  void aDirectoryThatCannotBeListedIsNotNothing() throws IOException {
    Start job = stage.start(0, 1).steps(1).succeeds();
    stage.kill();
    stage.nodes.get(0).lose();
    Start blind = stage.start(0, 1);
    blind.view = WhoseTest::unlistable;
    assertThat(blind.run(actor -> {}).refused(UNAVAILABLE)).contains("Permission denied");
    stage.kill();
    assertThat(stage.start(0, 1).run(actor -> {}).origin()).isEqualTo(job.number);
  }

  /** Directories whose stores can be used, but not listed. */
  private static Directories unlistable(Directories all) {
    return new Directories() {
      @Override
      public Store create(String name) throws IOException {
        return blind(all.create(name));
      }

      @Override
      public Store open(String name) throws IOException {
        return blind(all.open(name));
      }

      @Override
      public List<String> names() throws IOException {
        return all.names();
      }

      @Override
      public String location() {
        return all.location();
      }
    };
  }

  private static Store blind(Store store) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (_, method, arguments) -> {
              if (method.getName().equals("list")) {
                throw new IOException("Permission denied");
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  // ---------------------------------------------------------------- the first checkpoint

  @SeededTest(seeds = 1)
  @Thorough
  void killedAtAnyOperationUpToTheSecondCheckpoint(long seed) throws IOException {
    killedAtAnyOperationUpToTheSecondCheckpoint(1, seed);
    killedAtAnyOperationUpToTheSecondCheckpoint(2, seed);
  }

  private static void killedAtAnyOperationUpToTheSecondCheckpoint(int ranks, long seed)
      throws IOException {
    int[] placement = ranks == 1 ? new int[] {0} : new int[] {0, 1};
    int restored = 0;
    int begun = 0;
    for (int victim = 0; victim < ranks; victim++) {
      boolean over = false;
      for (int operation = 1 + victim; !over; operation += ranks == 1 ? 1 : STRIDE) {
        Stage one = new Stage(2, seed + 1000L * operation + victim);
        one.store(victim, victim).crashAt(operation);
        Start first = one.start(placement).steps(2);
        over = !one.store(victim, victim).hasCrashed();
        for (int node = 0; node < ranks; node++) {
          if (operation % 4 > 0) {
            one.nodes.get(node).crashed(new Random(seed + operation));
          } else {
            one.nodes.get(node).killed();
          }
        }
        Start again = one.start(placement).steps(1);
        RestartReport report = again.report();
        if (!first.completed.isEmpty()) {
          assertThat(report.isRestored())
              .as("killed at %d of rank %d after a checkpoint", operation, victim)
              .isTrue();
        }
        if (report.isRestored()) {
          assertThat(again.origin()).isEqualTo(first.number);
          restored++;
        } else {
          begun++;
        }
        if (operation % 3 == 0) {
          one.kill();
          assertThat(one.start(placement).run(actor -> {}).origin()).isEqualTo(again.number);
        }
      }
    }
    assertThat(restored).isGreaterThan(5);
    assertThat(begun).isGreaterThan(5);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneDamagedBitAfterTheFirstCheckpointDoesNotMakeItNothing(boolean copies) throws IOException {
    Tiers tiers = copies ? Tiers.none().partner(1) : Tiers.none();
    Stage once = new Stage(2, 5);
    Start job = once.start(0, 1).tiers(tiers).steps(1).succeeds();
    once.kill();
    byte[] sound = Stage.read(once.store(0, 0), "rank0.cairn");
    CrashingStore first = once.store(0, 0);
    CrashingStore second = once.store(1, 1);
    for (int at = 0; at < sound.length; at += Math.max(1, sound.length / 60)) {
      once.nodes.get(0).put("rank0", first.afterKill());
      once.nodes.get(1).put("rank1", second.afterKill());
      once.store(0, 0).flipBit("rank0.cairn", 8L * at);
      Start again = once.start(0, 1).tiers(tiers).run(actor -> {});
      if (again.failures[0] == null) {
        assertThat(again.report().isRestored()).as("a bit of byte %d", at).isTrue();
        assertThat(again.origin()).isEqualTo(job.number);
      } else {
        assertThat(copies).as("a bit of byte %d: %s", at, again.failures[0]).isFalse();
        assertThat(again.refused(UNAVAILABLE)).contains("rank0.cairn");
      }
    }
  }

  @Test
  void aJobThatDiesAgainAndAgainBeforeItsFirstCheckpointStaysOneJob() throws IOException {
    for (int i = 0; i < 3; i++) {
      assertThat(stage.start(0, 1).run(actor -> {}).report().isRestored()).isFalse();
      stage.kill();
    }
    Start job = stage.start(0, 1).steps(1).succeeds();
    assertThat(stage.store(0, 0).list()).filteredOn(f -> f.endsWith(".cairn")).hasSize(2);
    stage.kill();
    assertThat(stage.start(0, 1).run(actor -> {}).origin()).isEqualTo(job.number);
  }

  // ---------------------------------------------------------------- when identity is fixed

  @Test
  void checkpointWithoutRestartThrowsIfAndOnlyIfSomethingIsThere() throws IOException {
    Start fresh = stage.start(0, 1);
    fresh.restarts = false;
    fresh.steps(2).succeeds();
    stage.kill();
    Map<String, Long> before = stage.checksums();
    Start careless = stage.start(0, 1);
    careless.restarts = false;
    assertThat(careless.steps(1).refused(IllegalStateException.class)).contains("restart()");
    assertThat(stage.checksums()).isEqualTo(before);
    stage.kill();
    assertThat(stage.start(0, 1).run(actor -> {}).origin()).isEqualTo(fresh.number);
  }

  @Test
  void restartTwiceInOneProcess() throws IOException {
    Start job = stage.start(0, 1).steps(2).succeeds();
    stage.kill();
    Start twice =
        stage
            .start(0, 1)
            .retain(4)
            .run(
                actor -> {
                  long first = actor.token();
                  actor.step();
                  actor.checkpoint();
                  long second = actor.token();
                  actor.step();
                  actor.cairn.restart();
                  actor.check();
                  assertThat(actor.token()).isEqualTo(second);
                  actor.step();
                  actor.checkpoint();
                  actor.cairn.restart(RestartRequest.newest().version(newest(job)));
                  actor.check();
                  assertThat(actor.token()).isEqualTo(first);
                  actor.step();
                  actor.checkpoint();
                });
    twice.succeeds();
    assertThat(twice.completed.keySet().stream().map(VersionId::run).distinct())
        .as("each restart begins a run of its own")
        .hasSize(3);
    stage.kill();
    Start after = stage.start(0, 1).run(actor -> {});
    assertThat(after.version()).isEqualTo(newest(twice));
  }

  @Test
  void readingSomeDatasetsDoesNotRewindTheRun() throws IOException {
    Start job = stage.start(0, 1).retain(4).steps(3).succeeds();
    stage.kill();
    VersionId first = job.completed.keySet().stream().min(VersionId::compareTo).orElseThrow();
    AtomicReference<VersionId> taken = new AtomicReference<>();
    Start reads =
        stage
            .start(0, 1)
            .retain(4)
            .run(
                actor -> {
                  long now = actor.token();
                  RestartReport some =
                      actor.cairn.restart(RestartRequest.newest().version(first).only("token"));
                  assertThat(some.restored()).containsExactly("token");
                  assertThat(actor.token()).isEqualTo(job.completed.get(first));
                  actor.cairn.restart(RestartRequest.newest().only("token"));
                  assertThat(actor.token()).isEqualTo(now);
                  actor.step();
                  actor.checkpoint();
                  taken.set(actor.cairn.versions().getFirst().id());
                  assertThat(actor.cairn.versions()).hasSize(4);
                });
    reads.succeeds();
    stage.kill();
    assertThat(stage.start(0, 1).run(actor -> {}).version()).isEqualTo(taken.get());
  }

  @Test
  void aVersionOfWhichThereAreTwoIsAskedForByItsRun() throws IOException {
    Start a = stage.start(0, 1).steps(2).succeeds();
    Start b = stage.start(2, 3).steps(2).succeeds();
    stage.kill();
    stage.copy(2, "rank0", 0, "rank8");
    stage.copy(3, "rank1", 0, "rank9");
    String message =
        stage
            .start(0, 1)
            .request(RestartRequest.newest().version("1.2"))
            .run(actor -> {})
            .refused(UNAVAILABLE);
    assertThat(message).contains(newest(a).exact(), newest(b).exact());
    stage.kill();
    Start exact =
        stage
            .start(0, 1)
            .request(RestartRequest.newest().version(newest(b).exact()))
            .run(actor -> {});
    assertThat(exact.origin()).isEqualTo(b.number);
  }
}
