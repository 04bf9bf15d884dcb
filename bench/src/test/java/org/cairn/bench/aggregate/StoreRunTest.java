// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.cairn.CorruptContainerException;
import org.cairn.bench.aggregate.StoreRun.Configuration;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is measured is a checkpoint: all of it comes back. */
class StoreRunTest {
  private static final int RANKS = 5;

  @TempDir Path temp;

  private LoadedSet set() throws IOException {
    return LoadedSet.of(new GeneratedSets(temp).write("amr", RANKS, 20_000, 1, 3).getFirst());
  }

  @ParameterizedTest
  @EnumSource
  void whatWasSavedComesBack(Configuration configuration) throws IOException {
    Store store = new MemoryStore();
    try (LoadedSet set = set();
        StoreRun run = new StoreRun(set, configuration, 2)) {
      for (int time = 0; time < 2; time++) {
        StoreRun.Checkpoint checkpoint = run.checkpoint(store);
        assertThat(checkpoint.stored()).isPositive();
        assertThat(run.restart(store, true).all()).isPositive();
      }
      assertThat(store.list()).hasSize(configuration.label().contains("NoAgg") ? RANKS : 1);
    }
  }

  @Test
  void damageIsNoticed() throws IOException {
    Store store = new MemoryStore();
    try (LoadedSet set = set();
        StoreRun run = new StoreRun(set, Configuration.AWARE_SMALL, 1)) {
      run.checkpoint(store);
      try (StoreFile file = store.open("group0", Store.Access.WRITE)) {
        file.write(100, MemorySegment.ofArray(new byte[] {1, 2, 3}));
      }
      assertThatThrownBy(() -> run.restart(store, true))
          .isInstanceOf(CorruptContainerException.class);
    }
  }
}
