// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

/** The way of a program: protect, checkpoint, die, restart. */
class CheckpointerTest {
  private final MemoryStore store = new MemoryStore();

  @Test
  void bringsBackWhatWasSaved() {
    double[] u = new Random(1).doubles(100_000).toArray();
    double[] saved = u.clone();
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      LongCell step = cairn.protect("step", 41L);
      cairn.protect("u", u);
      assertThat(cairn.restart().isRestored()).isFalse();
      step.increment();
      CheckpointStats first = cairn.checkpoint().stats().orElseThrow();
      assertThat(first.dirtyBlocks()).isEqualTo(first.blocks());
      assertThat(first.datasets()).allMatch(dataset -> dataset.changedPart().isEmpty());
      Arrays.fill(u, 0);
    }
    double[] again = new double[u.length];
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("u", again);
      RestartReport report = cairn.restart();
      assertThat(report.restored()).containsExactly("step", "u");
      assertThat(step.get()).isEqualTo(42);
      assertThat(again).isEqualTo(saved);
      again[50_000]++;
      CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
      assertThat(stats.dirtyBlocks()).as("differential right after a restart").isEqualTo(1);
      assertThat(changedPart(stats, "step")).isZero();
      long bytes = Double.BYTES * (long) u.length;
      assertThat(changedPart(stats, "u")).isEqualTo((double) (16 << 10) / bytes);
    }
  }

  @Test
  void datasetsAreToldInTheOrderInWhichTheyWereProtected() {
    List<String> names = IntStream.range(0, 20).mapToObj(i -> "d" + i).toList();
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults())) {
      names.forEach(name -> cairn.protect(name, new int[8]));
      for (int i = 0; i < 2; i++) {
        CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
        assertThat(stats.datasets()).extracting(DatasetStats::name).isEqualTo(names);
      }
    }
  }

  private static double changedPart(CheckpointStats stats, String name) {
    return stats.datasets().stream()
        .filter(dataset -> dataset.name().equals(name))
        .findFirst()
        .orElseThrow()
        .changedPart()
        .orElseThrow();
  }

  @SeededTest(seeds = 1)
  void hundredsOfRandomCheckpointsStayWithinTwiceTheLiveData(Random random) {
    byte[] state = new byte[8 << 20];
    random.nextBytes(state);
    int blocks = state.length >> 12;
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults().blockSize(4096))) {
      cairn.protect("state", state);
      for (int i = 0; i < 150; i++) {
        for (int j = 0; j < blocks / 10; j++) {
          state[(random.nextInt(blocks) << 12) + 5]++;
        }
        CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
        assertThat(cairn.usage().fileBytes())
            .isLessThanOrEqualTo(2 * cairn.usage().liveBytes() + stats.bytesWritten());
      }
    }
  }
}
