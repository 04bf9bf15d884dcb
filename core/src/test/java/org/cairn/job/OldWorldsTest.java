// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Label;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one number of ranks saved stays as it is until another has as much. */
@Timeout(60)
class OldWorldsTest {
  private static final int ROWS = 24;

  private final MemoryDirectories directories = new MemoryDirectories();
  private final MemoryStore shared = new MemoryStore();
  private Options options = SmallJob.OPTIONS.retain(2).tiers(Tiers.none());
  private RestartRequest request = RestartRequest.newest();

  /** What a rank of a job of so many did. */
  private interface Work {
    void run(Checkpointer cairn, Run run);
  }

  /** A run on a rank: an array of rows, and the step that all have reached. */
  private record Run(org.cairn.comm.Communicator comm, double[] u, org.cairn.LongCell step) {
    Part part() {
      return partOf(comm.rank(), comm.size());
    }

    static Part partOf(int rank, int ranks) {
      long from = (long) ROWS * rank / ranks;
      long to = (long) ROWS * (rank + 1) / ranks;
      return Part.of(new long[] {ROWS, 10}, new long[] {from, 0}, new long[] {to - from, 10});
    }

    void advance() {
      step.increment();
      long first = part().offset().getFirst() * 10;
      for (int i = 0; i < u.length; i++) {
        u[i] = step.get() * 1000 + first + i;
      }
    }

    void check() {
      long first = part().offset().getFirst() * 10;
      for (int i = 0; i < u.length; i++) {
        assertThat(u[i]).isEqualTo(step.get() == 0 ? 0 : step.get() * 1000 + first + i);
      }
    }
  }

  private Map<Integer, RestartReport> run(int ranks, Work work) {
    Map<Integer, RestartReport> reports = new ConcurrentHashMap<>();
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            double[] u = new double[(int) Run.partOf(comm.rank(), ranks).elements()];
            Run run = new Run(comm, u, cairn.protectEverywhere("step", 0L));
            cairn.protect("u", u).part(run.part());
            reports.put(comm.rank(), cairn.restart(request));
            run.check();
            work.run(cairn, run);
          }
        });
    return reports;
  }

  private static Work steps(int count) {
    return (cairn, run) -> {
      for (int i = 0; i < count; i++) {
        run.advance();
        Checkpoint taken = cairn.checkpoint();
        taken.tiers().forEach(taken::await);
      }
    };
  }

  private static Work at(long step) {
    return (_, run) -> assertThat(run.step.get()).isEqualTo(step);
  }

  /** The bytes of all containers, by directory and name. */
  private Map<String, byte[]> files() throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (String directory : directories.names()) {
      Store store = directories.open(directory);
      for (String name : store.list()) {
        if (name.endsWith(".cairn")) {
          try (StoreFile file = store.open(name, Store.Access.READ)) {
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, java.lang.foreign.MemorySegment.ofArray(bytes));
            files.put(directory + "/" + name, bytes);
          }
        }
      }
    }
    return files;
  }

  private List<String> names() throws IOException {
    return new ArrayList<>(files().keySet());
  }

  @Test
  void theNewestDecidesWhateverNumberItHas() {
    run(8, steps(3));
    run(3, steps(1));
    run(8, at(4));
    run(8, steps(1));
    run(1, at(5));
    run(5, at(5));
  }

  @Test
  void aWorldWritesIntoNoFileOfAnother() throws IOException {
    run(4, steps(3));
    Map<String, byte[]> before = files();
    run(3, (_, _) -> {}); // what was restored is a version of the new world
    Map<String, byte[]> after = files();
    before.forEach((name, bytes) -> assertThat(after).containsEntry(name, bytes));
    assertThat(after).hasSize(before.size() + 3);
    directories.lose(1); // and can be lost, as the old one can: nothing else is there
    assertThatThrownBy(() -> run(3, (_, _) -> {})).hasMessageContaining("rank 1: local: no");
  }

  @Test
  void aRestartOnAnotherNumberEndsWithAVersionAtEveryTierThatBearsALoss() {
    options = options.tiers(Tiers.none().partner(1));
    run(4, steps(2));
    run(
        3,
        (cairn, run) -> {
          assertThat(cairn.versions()).hasSize(1);
          assertThat(cairn.versions().getFirst().id().ranks()).isEqualTo(3);
          run.comm.barrier();
        });
    directories.lose(1);
    run(2, at(2));
  }

  @Test
  void theOldWorldGoesWhenTheNewOneHasAsMuch() throws IOException {
    run(4, steps(3));
    run(3, steps(1));
    assertThat(names()).doesNotContain("rank3/rank3.cairn").hasSize(3);
    run(3, at(4));
  }

  @Test
  void oneThatWasMoreThanTheNewOneCanHaveStays() throws IOException {
    options = options.tiers(Tiers.none().partner(1));
    run(4, steps(3));
    try (LogLines log = new LogLines(Job.class)) {
      run(1, steps(4));
      assertThat(log.with("stays"))
          .as("warnings")
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("this job has no partner tier", "rank0/rank0.cairn", " and 2 more;");
    }
    assertThat(names())
        .contains("rank0/rank0.cairn", "rank3/rank3.cairn", "rank1/rank0.partner.cairn");
    run(2, steps(3));
    assertThat(names()).doesNotContain("rank3/rank3.cairn", "rank1/rank0.partner.cairn");
    run(2, at(10));
  }

  @Test
  void whatAPersonKeepsStays() throws IOException {
    run(
        4,
        (cairn, run) -> {
          run.advance();
          cairn.checkpoint(Label.of("good").keep());
          run.advance();
          cairn.checkpoint();
        });
    run(3, steps(4));
    assertThat(names()).contains("rank3/rank3.cairn");
    request = RestartRequest.newest().version("1.1");
    run(2, at(1));
  }

  @Test
  void theSharedTierCountsEachWorldByItself() throws IOException {
    options = options.tiers(Tiers.none().shared(shared, 1).sharedRetain(1));
    run(4, steps(3));
    run(3, (cairn, _) -> cairn.flush(TierKind.SHARED));
    assertThat(manifests()).hasSize(2);
    for (int rank = 0; rank < 4; rank++) {
      directories.lose(rank);
    }
    run(2, steps(4));
    assertThat(manifests()).allMatch(name -> name.endsWith("-r2"));
    run(5, at(7));
  }

  private List<String> manifests() {
    return shared.list().stream().filter(name -> name.startsWith("manifest-")).toList();
  }

  /** Every step of the way leaves something to come back to; the next number is a third one. */
  @Test
  void lostDirectoriesOfTheNewWorldBringBackTheOldOne() {
    run(4, steps(3));
    run(3, (_, _) -> {});
    directories.lose(2); // held rank 2 of both: only a tier could help
    assertThatThrownBy(() -> run(2, at(3))).hasMessageContaining("local: no");
  }

  @Test
  void onlySomeDatasetsMakeNoVersion() throws IOException {
    run(4, steps(2));
    request = RestartRequest.newest().only("u");
    Ranks.run(
        3,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            double[] u = new double[(int) Run.partOf(comm.rank(), 3).elements()];
            cairn.protect("u", u).part(Run.partOf(comm.rank(), 3));
            assertThat(cairn.restart(request).restored()).containsExactly("u");
            assertThat(cairn.versions()).isEmpty();
          }
        });
    request = RestartRequest.newest();
    run(4, at(2));
  }
}
