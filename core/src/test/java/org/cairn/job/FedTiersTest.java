// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;
import org.cairn.container.BlockReader;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.version.DatasetEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tiers read from containers what does not fit into staging memory, and nothing else. */
class FedTiersTest {
  private static final int RANKS = 2;
  private static final int CHECKPOINTS = 4;
  private static final int BUFFER = 2 << 20;

  /** Several buffers of them. */
  private static final int BYTES = 8 << 20;

  private final MemoryDirectories directories = new MemoryDirectories();
  private final List<CountingStore> stores = new ArrayList<>();

  @BeforeEach
  void count() {
    for (int rank = 0; rank < RANKS; rank++) {
      stores.add(new CountingStore(new MemoryStore()));
      directories.put("rank" + rank, stores.get(rank));
    }
  }

  /** Takes checkpoints, all of whose blocks are dirty; what is read for one, the first included. */
  private long read(long staging) throws IOException {
    Options options =
        SmallJob.OPTIONS
            .blockSize(16 << 10)
            .buffer(BUFFER)
            .staging(staging)
            .tiers(Tiers.none().partner(1));
    Ranks.run(
        RANKS,
        rank -> "node" + rank,
        comm -> {
          long[] state = new long[BYTES / Long.BYTES];
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            cairn.protect("state", state);
            cairn.restart();
            for (int i = 0; i < CHECKPOINTS; i++) {
              for (int at = 0; at < state.length; at++) {
                state[at] += 31L * at + comm.rank() + 1;
              }
              cairn.checkpoint().await(TierKind.PARTNER);
            }
            comm.barrier();
          }
        });
    long bytes = stores.stream().mapToLong(CountingStore::bytesRead).sum();
    for (Store store : stores) {
      verify(store);
    }
    return bytes / CHECKPOINTS;
  }

  /** Every block of every container, copies included, is what its digest says. */
  private static void verify(Store store) throws IOException {
    List<String> containers =
        store.list().stream().filter(name -> name.endsWith(".cairn")).toList();
    assertThat(containers).hasSize(2);
    for (String container : containers) {
      try (ContainerReader reader = ContainerReader.open(store, container)) {
        VersionView newest = reader.view(reader.versions().getFirst().id());
        try (BlockReader blocks = new BlockReader(newest)) {
          for (DatasetEntry dataset : newest.datasets()) {
            for (int block = 0; block < dataset.blocks(); block++) {
              blocks.read(dataset, block);
            }
          }
        }
      }
    }
  }

  @Test
  void whatFitsIsNotReadBack() throws IOException {
    assertThat(read(2 * BYTES)).isLessThan(RANKS * BYTES / 100);
  }

  /** The smallest pool has three buffers. */
  @Test
  void whatDoesNotFitIsReadBack() throws IOException {
    assertThat(read(BUFFER))
        .isBetween((long) RANKS * (BYTES - 3 * BUFFER), (long) (1.01 * RANKS * BYTES));
  }
}
