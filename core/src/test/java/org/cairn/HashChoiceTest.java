// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.HashAlgorithm.MD5;
import static org.cairn.HashAlgorithm.SPOOKY_128;
import static org.cairn.HashAlgorithm.XXH3_128;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.comm.Ranks;
import org.cairn.container.ContainerReader;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.tier.FileNames;
import org.cairn.version.DatasetEntry;
import org.junit.jupiter.api.Test;

/** Who chooses the hash algorithm: the user, else what was saved, else the table of rank 0. */
class HashChoiceTest {
  private static final Options OPTIONS = Options.defaults().blockSize(1024).threads(1);

  private final MemoryStore store = new MemoryStore();
  private final double[] u = new double[10_000];

  HashChoiceTest() {
    Arrays.setAll(u, i -> 1 + i);
  }

  private static Map<String, HashAlgorithm> algorithms(Store store, int rank) throws IOException {
    Map<String, HashAlgorithm> found = new TreeMap<>();
    try (ContainerReader reader = ContainerReader.open(store, FileNames.local(rank))) {
      for (DatasetEntry entry : reader.datasets(reader.versions().getFirst().id())) {
        found.put(entry.name(), entry.spec().algorithm());
      }
    }
    return found;
  }

  /** A run that goes on from what is there, changes a number and saves; what came back first. */
  private long dirtyBlocks(Options options) {
    double[] mine = new double[u.length];
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("u", mine);
      boolean restored = cairn.restart().isRestored();
      if (restored) {
        assertThat(mine).isEqualTo(u);
      }
      u[5]++;
      System.arraycopy(u, 0, mine, 0, u.length);
      return cairn.checkpoint().stats().orElseThrow().dirtyBlocks();
    }
  }

  @Test
  void newDatasetsHaveWhatTheTableNames() throws IOException {
    dirtyBlocks(OPTIONS.naming(SPOOKY_128));
    assertThat(algorithms(store, 0)).containsEntry("u", SPOOKY_128);
  }

  @Test
  void whatExistsKeepsItsOwnWhereverItGoes() throws IOException {
    for (HashAlgorithm first : new HashAlgorithm[] {SPOOKY_128, XXH3_128}) {
      HashAlgorithm other = first == XXH3_128 ? SPOOKY_128 : XXH3_128;
      HashChoiceTest program = new HashChoiceTest();
      program.dirtyBlocks(OPTIONS.naming(first));
      assertThat(program.dirtyBlocks(OPTIONS.naming(other))).as("digests compared").isOne();
      assertThat(algorithms(program.store, 0)).containsEntry("u", first);
    }
  }

  @Test
  void whatAUserChoseWins() throws IOException {
    dirtyBlocks(OPTIONS.naming(SPOOKY_128));
    assertThat(dirtyBlocks(OPTIONS.naming(SPOOKY_128).hash(XXH3_128))).isGreaterThan(1);
    assertThat(algorithms(store, 0)).containsEntry("u", XXH3_128);
    dirtyBlocks(OPTIONS.naming(SPOOKY_128).hash(MD5));
    assertThat(algorithms(store, 0)).containsEntry("u", MD5);
    dirtyBlocks(OPTIONS.naming(SPOOKY_128));
    assertThat(algorithms(store, 0))
        .as("chosen once, and no longer")
        .containsEntry("u", SPOOKY_128);
  }

  @Test
  void aDatasetMayHaveOneOfItsOwn() throws IOException {
    Options options = OPTIONS.naming(SPOOKY_128);
    for (int run = 0; run < 2; run++) {
      try (Checkpointer cairn = Checkpointer.open(store, options)) {
        cairn.protect("u", u).hash(XXH3_128);
        cairn.protect("v", new int[] {run});
        cairn.restart();
        cairn.checkpoint();
      }
    }
    assertThat(algorithms(store, 0)).containsEntry("u", XXH3_128).containsEntry("v", SPOOKY_128);
  }

  @Test
  void whatDevicesAreToHashIsSomethingTheyCompute() {
    Options options = OPTIONS.naming(SPOOKY_128).offload(true);
    assertThat(options.hash()).isSameAs(XXH3_128);
    assertThat(options.keepsHashes()).isFalse();
    assertThat(options.hash(SPOOKY_128).hash()).isSameAs(SPOOKY_128);
    Dataset.Defaults unasked = new Dataset.Defaults(1024, SPOOKY_128, true);
    assertThat(unasked.onDevice()).isEqualTo(new Dataset.Defaults(1024, XXH3_128));
    Dataset.Defaults asked = new Dataset.Defaults(1024, SPOOKY_128);
    assertThat(asked.onDevice()).isEqualTo(asked);
  }

  /** Machines of a job may differ; what is the same everywhere is compared by its digests. */
  @Test
  void rankZeroDecidesForAll() throws IOException {
    for (HashAlgorithm first : new HashAlgorithm[] {SPOOKY_128, XXH3_128}) {
      MemoryDirectories directories = new MemoryDirectories();
      Options[] options = {
        OPTIONS.naming(first), OPTIONS.naming(first == XXH3_128 ? MD5 : XXH3_128)
      };
      Ranks.run(
          2,
          rank -> "node" + rank,
          comm -> {
            for (int run = 0; run < 2; run++) {
              try (Checkpointer cairn =
                  Checkpointer.open(directories, comm, options[comm.rank()])) {
                cairn.protect("same", u.clone()).everywhere();
                cairn.protect("own", new int[] {comm.rank()});
                cairn.restart();
                cairn.checkpoint();
              }
            }
          });
      for (int rank = 0; rank < 2; rank++) {
        assertThat(algorithms(directories.open(FileNames.directory(rank)), rank))
            .as("rank %d", rank)
            .containsExactlyInAnyOrderEntriesOf(Map.of("own", first, "same", first));
      }
    }
  }
}
