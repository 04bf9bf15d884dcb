// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.parity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.cairn.codec.Codec;
import org.cairn.comm.Ranks;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.DatasetPlan;
import org.cairn.container.DatasetSpec;
import org.cairn.container.ElementType;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.HashAlgorithm;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.FileNames;
import org.cairn.tier.Home;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;

/** What one dirty block costs, however large the state is. */
class CostTest {
  private static final int BLOCK = 512;

  /** What a checkpoint cost a rank. */
  private record Cost(long read, long written) {}

  @Test
  void measure() {
    for (int mib : new int[] {2, 32}) {
      List<Cost> costs = costs(2, mib << 20, 80);
      System.out.println(mib + " " + costs);
    }
  }

  /** Rank 0 of a job in which each rank has one dirty block between two checkpoints. */
  private static List<Cost> costs(int ranks, int bytes, int checkpoints) {
    List<Cost> costs = new ArrayList<>();
    ErasureGroups groups =
        ErasureGroups.adapted(
            java.util.stream.IntStream.range(0, ranks).mapToObj(i -> "n" + i).toList(), ranks, 1);
    Ranks.run(
        ranks,
        comm -> {
          CountingStore store = new CountingStore(new MemoryStore());
          Home home = new Home(store, comm.rank(), ranks, TestRun.RANDOM);
          String file = FileNames.local(comm.rank());
          home.enter(TestRun.lineage(ranks), file);
          Random random = new Random(comm.rank());
          try (Container container = TestRun.open(store, file, 3);
              ErasureTier tier = new ErasureTier(comm, home, groups)) {
            container.rememberDeltas();
            for (int i = 1; i <= checkpoints; i++) {
              VersionId id = TestRun.id(1, i, ranks);
              save(container, id, bytes, i == 1 ? bytes / BLOCK : 1, random);
              store.reset();
              tier.protect(id, (base, root) -> container.delta(base, root, id));
              if (comm.rank() == 0) {
                costs.add(new Cost(store.bytesRead(), store.bytesWritten()));
              }
              comm.barrier();
              tier.settled(id);
            }
          }
        });
    return costs;
  }

  /** Publishes a version in which some blocks side by side are new. */
  private static void save(
      Container container, VersionId id, int bytes, int dirty, Random random)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Commit commit = container.begin(id, Instant.EPOCH);
      commit.keepUnseen();
      DatasetPlan plan =
          commit.plan(
              new DatasetSpec(
                  "field",
                  ElementType.BYTE,
                  List.of((long) bytes),
                  bytes,
                  BLOCK,
                  HashAlgorithm.XXH3_128,
                  Codec.NONE));
      StagedBlocks staged = new StagedBlocks(arena.allocate((long) dirty * BLOCK, 64));
      int first = random.nextInt(bytes / BLOCK - dirty + 1);
      byte[] block = new byte[BLOCK];
      long[] digest = new long[2];
      for (int i = 0; i < dirty; i++) {
        random.nextBytes(block);
        MemorySegment source = MemorySegment.ofArray(block);
        HashAlgorithm.XXH3_128.hasher().hash(source, 0, BLOCK, BLOCK, digest, 0);
        MemorySegment.copy(source, 0, staged.memory(), staged.used(), BLOCK);
        staged.addRaw(plan.entry().slotOf(first + i), BLOCK, digest[0], digest[1]);
      }
      commit.store(staged, 0);
      commit.moveClean(new StagedBlocks(arena.allocate(1 << 20, 64)));
      commit.publish();
    }
  }
}
