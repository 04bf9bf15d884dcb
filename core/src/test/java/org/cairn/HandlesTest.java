// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.store.CrashingStore;
import org.junit.jupiter.api.Test;

/** What a program holds in its hands: checkpoints, reports, cells. */
class HandlesTest {
  private final MemoryStore store = new MemoryStore();

  @Test
  void aFutureGivesTheDurableCheckpoint() {
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      cairn.protect("u", new double[8]);
      Checkpoint taken = cairn.checkpointAsync();
      assertThat(taken.toCompletableFuture().join()).isSameAs(taken);
      assertThat(taken.isDurable()).isTrue();
    }
  }

  @Test
  void whoCancelsTheFutureLeavesTheCheckpointAlone() {
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      cairn.protect("u", new double[8]);
      Checkpoint taken = cairn.checkpoint();
      CompletableFuture<Checkpoint> future = taken.toCompletableFuture();
      future.obtrudeException(new IllegalStateException("not for the checkpoint"));
      assertThat(taken.await().isDurable()).isTrue();
      assertThat(taken.toCompletableFuture().join()).isSameAs(taken);
    }
  }

  @Test
  void aFailureIsInTheFutureAndIsToldByTheNextCallAllTheSame() throws Exception {
    CrashingStore disk = new CrashingStore(1);
    Checkpointer cairn = Checkpointer.open(disk, SampleState.options());
    double[] u = new double[8];
    cairn.protect("u", u);
    cairn.checkpoint();
    u[0] = 1;
    disk.fillDiskAfter(0);
    Checkpoint failing = cairn.checkpointAsync();
    assertThatThrownBy(failing.toCompletableFuture()::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(CheckpointFailedException.class)
        .hasMessageContaining("checkpoint 1.2 failed, the one before is untouched");
    assertThat(failing.toString()).startsWith("checkpoint 1.2: failed: ");
    assertThatThrownBy(cairn::checkpoint).hasMessageContaining("did nothing but tell this");
    disk.emptyDisk();
    cairn.checkpoint();
    cairn.close();
  }

  @Test
  void aSkippedCheckpointIsACompletedFuture() {
    Checkpoint skipped = Checkpoint.skipped();
    assertThat(skipped.toCompletableFuture().join().isSkipped()).isTrue();
    assertThat(skipped.toString()).contains("skipped");
  }

  @Test
  void checkpointsAndReportsAreReadable() {
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      cairn.protect("u", new double[] {1, 2, 3});
      cairn.protect("step", 7L);
      assertThat(cairn.restart().toString()).isEqualTo("nothing was restored");
      assertThat(cairn.checkpoint().toString())
          .isEqualTo("checkpoint 1.1: durable, 2 of 2 blocks changed");
    }
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      cairn.protect("u", new double[3]);
      cairn.protect("new", 0L);
      RestartReport report = cairn.restart();
      assertThat(report.toString())
          .matches(
              "version 1\\.1, taken \\S+: restored \\[u] \\(24 bytes in [0-9.]+ s\\), from \\[local];"
                  + " not in it, unchanged \\[new]; in it, protected by nothing \\[step]");
    }
  }

  @Test
  void intsComeBack() {
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      IntCell step = cairn.protect("step", 3);
      assertThat(step.increment()).isEqualTo(4);
      assertThat(step.add(-10)).isEqualTo(-6);
      cairn.checkpoint();
    }
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      IntCell step = cairn.protect("step", 0);
      cairn.restart();
      assertThat(step.get()).isEqualTo(-6);
      assertThat(step).hasToString("-6");
    }
  }
}
