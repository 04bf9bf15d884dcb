// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.Hashers;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.FileNames;
import org.cairn.tier.Home;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What one dirty block costs the erasure tier, however large the state is. */
@Tag("slow")
class CostTest {
  private static final int BLOCK = 512;
  private static final int RANKS = 2;

  /** Two logs of the map of a container, and a bit. */
  private static final int CHECKPOINTS = 130;

  /** What a checkpoint cost a rank: bytes of its files, and bytes sent. */
  private record Cost(long read, long written, long sent) {}

  @Test
  void oneDirtyBlockCostsTheSameInALargeState() {
    List<Cost> small = costs(2 << 20);
    List<Cost> large = costs(32 << 20);
    for (ToLongFunction<Cost> bytes :
        List.<ToLongFunction<Cost>>of(Cost::read, Cost::written, Cost::sent)) {
      assertThat(mean(withoutMaps(large), bytes))
          .isCloseTo(mean(withoutMaps(small), bytes), withinPercentage(10));
    }
    // A block of parity, a page of each map, and what tells of them.
    assertThat(mean(withoutMaps(large), Cost::read)).isLessThan(32 << 10);
    assertThat(mean(withoutMaps(large), Cost::written)).isLessThan(32 << 10);
    assertThat(wholeMaps(large)).as("whole maps").isBetween(1, CHECKPOINTS / 64);
  }

  /** New blocks are taken from where they were staged; only old ones are read, and parity. */
  @Test
  void dirtyBlocksAreNotReadBack() {
    int dirty = (2 << 20) / BLOCK / 10;
    double readBack = mean(costs(new Run(2 << 20, 6, dirty, false)), Cost::read);
    double fed = mean(costs(new Run(2 << 20, 6, dirty, true)), Cost::read);
    assertThat(readBack - fed).isGreaterThanOrEqualTo((double) dirty * BLOCK);
  }

  /**
   * Some checkpoints.
   *
   * @param bytes the size of the state
   * @param dirty how many blocks, side by side, are new in each
   * @param kept whether they stay in memory until the next one
   */
  private record Run(int bytes, int checkpoints, int dirty, boolean kept) {
    StagedBlocks staged(Arena arena) {
      MemorySegment memory = arena.allocate(bytes, 64);
      return kept ? StagedBlocks.keptUntilCleared(memory) : new StagedBlocks(memory);
    }
  }

  private static double mean(List<Cost> costs, ToLongFunction<Cost> bytes) {
    return costs.stream().mapToLong(bytes).average().orElseThrow();
  }

  private static int wholeMaps(List<Cost> costs) {
    return costs.size() - withoutMaps(costs).size();
  }

  /** A record more is told of each time; after a whole map there is none, and less to write. */
  private static List<Cost> withoutMaps(List<Cost> costs) {
    List<Cost> plain = new ArrayList<>();
    for (int i = 0; i < costs.size() - 1; i++) {
      if (costs.get(i).written < costs.get(i + 1).written + (1 << 10)) {
        plain.add(costs.get(i));
      }
    }
    plain.add(costs.getLast());
    return plain;
  }

  /** What checkpoints cost rank 0 if one block of each rank is dirty, the first not counted. */
  private static List<Cost> costs(int bytes) {
    return costs(new Run(bytes, CHECKPOINTS, 1, false));
  }

  private static List<Cost> costs(Run run) {
    List<Cost> costs = new ArrayList<>();
    Ranks.run(
        RANKS,
        comm -> {
          List<Cost> mine = costs(comm, run);
          if (comm.rank() == 0) {
            costs.addAll(mine);
          }
        });
    return costs;
  }

  private static List<Cost> costs(Communicator comm, Run run) throws IOException {
    CountingStore store = new CountingStore(new MemoryStore());
    Home home = new Home(store, comm.rank(), RANKS, TestRun.RANDOM);
    String file = FileNames.local(comm.rank());
    home.enter(TestRun.lineage(RANKS), file);
    Random random = Seeds.content(comm.rank());
    List<Cost> costs = new ArrayList<>();
    try (Arena arena = Arena.ofShared();
        Container container = TestRun.open(store, file, 3);
        ErasureTier tier =
            new ErasureTier(comm, home, ErasureGroups.adapted(List.of("a", "b"), RANKS, 1))) {
      container.rememberDeltas();
      home.writtenBy(container);
      StagedBlocks staged = run.staged(arena);
      for (int i = 0; i <= run.checkpoints; i++) {
        VersionId id = TestRun.id(1, i + 1, RANKS);
        save(container, id, run.bytes, i == 0 ? run.bytes / BLOCK : run.dirty, staged, random);
        store.reset();
        long sent = tier.protect(id, (base, root) -> container.delta(base, root, id));
        if (i > 0) {
          costs.add(new Cost(store.bytesRead(), store.bytesWritten(), sent));
        }
        comm.barrier();
        tier.nowStable(id);
      }
    }
    return costs;
  }

  /** Publishes a version in which some blocks side by side are new. */
  private static void save(
      Container container, VersionId id, int bytes, int dirty, StagedBlocks staged, Random random)
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
      staged.clear();
      int first = random.nextInt(bytes / BLOCK - dirty + 1);
      byte[] block = new byte[BLOCK];
      long[] digest = new long[2];
      for (int i = 0; i < dirty; i++) {
        random.nextBytes(block);
        MemorySegment source = MemorySegment.ofArray(block);
        Hashers.of(HashAlgorithm.XXH3_128).hash(source, 0, BLOCK, BLOCK, digest, 0);
        MemorySegment.copy(source, 0, staged.memory(), staged.used(), BLOCK);
        staged.addRaw(plan.entry().slotOf(first + i), BLOCK, digest[0], digest[1]);
      }
      commit.store(staged, 0);
      commit.moveClean(new StagedBlocks(arena.allocate(1 << 20, 64)));
      commit.publish();
    }
  }
}
