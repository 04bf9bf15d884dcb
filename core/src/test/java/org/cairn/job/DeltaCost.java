// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.store.MemoryDirectories;

/** What a checkpoint costs of which some blocks of every rank are dirty, in stores that count. */
final class DeltaCost {
  static final int RANKS = 2;
  static final int BLOCK = 512;
  static final int SMALL = 2 << 20;
  private static final int LONGS = BLOCK / Long.BYTES;

  private DeltaCost() {}

  /** What all ranks together did for a checkpoint. */
  record Cost(CountingStore.Bytes local, CountingStore.Bytes shared) {}

  /** Takes checkpoints of which one block of every rank is dirty. */
  static List<Cost> measure(TierKind tier, UnaryOperator<Tiers> tiers, int bytes, int checkpoints)
      throws IOException {
    return measure(tier, tiers, bytes, checkpoints, 1);
  }

  /**
   * Takes checkpoints.
   *
   * @param tier the one that each is awaited at
   * @param tiers the settings; the shared directory is put in by this
   * @param bytes the size of the state of rank 0; that of others is always 2 MiB
   * @param dirty how many blocks are dirty
   * @return what each cost, the first included, which brings everything
   */
  static List<Cost> measure(
      TierKind tier, UnaryOperator<Tiers> tiers, int bytes, int checkpoints, int dirty)
      throws IOException {
    MemoryDirectories directories = new MemoryDirectories();
    CountingStore shared = new CountingStore(new MemoryStore());
    List<CountingStore> locals = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      locals.add(new CountingStore(new MemoryStore()));
      directories.put("rank" + rank, locals.get(rank));
    }
    Tiers wanted = tiers.apply(Tiers.none());
    Options options =
        SmallJob.OPTIONS
            .blockSize(BLOCK)
            .buffer(bytes + (2 << 20))
            .staging(bytes + (4 << 20))
            .tiers(tier == TierKind.SHARED ? wanted.shared(shared, 1) : wanted);
    List<Cost> costs = new ArrayList<>();
    Ranks.run(
        RANKS,
        rank -> "node" + rank,
        comm -> {
          long[] state = new long[(comm.rank() == 0 ? bytes : SMALL) / Long.BYTES];
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            cairn.protect("state", state);
            cairn.restart();
            for (int i = 0; i < state.length; i++) {
              state[i] = i * 31L + comm.rank() + 1;
            }
            for (int i = 0; i < checkpoints; i++) {
              // The same blocks whatever the size, scattered over the first 2 MiB.
              for (int block = 0; block < dirty; block++) {
                state[(i + block) * 37 % (SMALL / BLOCK) * LONGS]++;
              }
              cost(comm, () -> cairn.checkpoint().await(tier), locals, shared, costs);
            }
          }
        });
    return costs;
  }

  private interface Step {
    void take() throws Exception;
  }

  private static void cost(
      Communicator comm,
      Step step,
      List<CountingStore> locals,
      CountingStore shared,
      List<Cost> costs)
      throws Exception {
    comm.barrier();
    CountingStore.Bytes local = sum(locals);
    CountingStore.Bytes there = shared.bytes();
    comm.barrier();
    step.take();
    comm.barrier();
    if (comm.rank() == 0) {
      costs.add(new Cost(sum(locals).since(local), shared.bytes().since(there)));
    }
  }

  private static CountingStore.Bytes sum(List<CountingStore> stores) {
    return new CountingStore.Bytes(
        stores.stream().mapToLong(store -> store.bytes().read()).sum(),
        stores.stream().mapToLong(store -> store.bytes().written()).sum());
  }
}
