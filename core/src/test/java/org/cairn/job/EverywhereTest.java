// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What ranks say is the same everywhere is looked at, not believed. */
@Timeout(60)
class EverywhereTest {
  private final MemoryDirectories directories = new MemoryDirectories();
  private Options options = SmallJob.OPTIONS.tiers(Tiers.none());

  private interface Work {
    void run(Checkpointer cairn, Communicator comm, double[] table, LongCell step);
  }

  private void run(int ranks, Work work) {
    Ranks.run(
        ranks,
        comm -> {
          Communicator chosen = options.asynchronous() ? comm : new SingleThreaded(comm);
          try (Checkpointer cairn = Checkpointer.open(directories, chosen, options)) {
            double[] table = new double[400]; // blocks of 256 bytes: 12 of 32 numbers, and a half
            LongCell step = cairn.protectEverywhere("step", 0L);
            cairn.protect("table", table).everywhere();
            cairn.restart();
            work.run(cairn, comm, table, step);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDifferenceNamesDatasetRankAndBlock(boolean async) {
    options = options.asynchronous(async);
    List<String> told = new CopyOnWriteArrayList<>();
    run(
        3,
        (cairn, comm, table, step) -> {
          step.set(1);
          cairn.checkpoint().await();
          step.set(2);
          table[70] = comm.rank() == 2 ? 1e-300 : 0;
          assertThatThrownBy(() -> cairn.checkpoint().await())
              .satisfies(thrown -> told.add(thrown.getMessage()));
          table[70] = 5;
          step.set(3);
          cairn.checkpoint().await();
          assertThat(cairn.versions().getFirst().id().sequence()).isEqualTo(3);
          step.set(4);
          step.set(4 + comm.rank() % 2);
          assertThatThrownBy(() -> cairn.checkpoint().await()).hasMessageContaining("\"step\"");
        });
    assertThat(told)
        .hasSize(3)
        .allSatisfy(
            message ->
                assertThat(message)
                    .contains("rank 2: dataset \"table\" differs from that of rank 0 in block 2"));
    run(
        2,
        (_, _, table, step) -> {
          assertThat(step.get()).isEqualTo(3);
          assertThat(table[70]).isEqualTo(5);
        });
  }

  /** Nobody asks for the handle: the next call tells. */
  @Test
  void inTheBackgroundTheNextCallTells() {
    options = options.asynchronous(true);
    run(
        2,
        (cairn, comm, table, step) -> {
          step.set(1);
          cairn.checkpointAsync();
          table[399] = comm.rank();
          cairn.checkpointAsync();
          assertThatThrownBy(cairn::checkpoint).hasMessageContaining("\"table\"", "block 12");
          table[399] = 7;
          assertThatCode(() -> cairn.checkpoint().await()).doesNotThrowAnyException();
        });
  }

  @Test
  void byChoiceItIsAWarning() {
    options = options.warnOfDifferences(true);
    run(
        2,
        (cairn, comm, table, step) -> {
          table[0] = comm.rank();
          cairn.checkpoint();
          assertThat(cairn.versions()).hasSize(1);
        });
  }

  @Test
  void allRanksSayItAndHaveTheSameForm() {
    List<Throwable> thrown = new ArrayList<>();
    Ranks.run(
        2,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            var dataset = cairn.protect("t", new double[8]);
            if (comm.rank() == 0) {
              dataset.everywhere();
            }
            assertThatThrownBy(cairn::checkpoint)
                .hasMessageContaining("rank 1 does not say so")
                .hasMessageContaining("\"t\"");
            dataset.everywhere().blockSize(comm.rank() == 0 ? 256 : 512);
            assertThatThrownBy(cairn::checkpoint)
                .hasMessageContaining("in blocks of 256 bytes")
                .hasMessageContaining("in blocks of 512 bytes");
            dataset.blockSize(512);
            cairn.checkpoint();
          }
        });
    assertThat(thrown).isEmpty();
  }

  /** A rank that fails on its own does not keep the others at the gate. */
  @Test
  void aRankThatGivesUpKeepsNobody() {
    run(
        2,
        (cairn, comm, _, step) -> {
          step.set(1);
          cairn.checkpoint();
          step.set(2);
          var builder = cairn.begin();
          builder.add("step");
          if (comm.rank() == 1) {
            builder.abort();
          } else {
            assertThatThrownBy(builder::commit).hasMessageContaining("aborted");
          }
          cairn.checkpoint();
        });
    run(3, (_, _, _, step) -> assertThat(step.get()).isEqualTo(2));
  }
}
