// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;
import org.cairn.testkit.comm.CountingCommunicator;
import org.cairn.testkit.comm.Traffic;

/** What tiers send for a version of which little has changed. */
final class TierTraffic {
  private static final int BLOCK = 16 << 10;

  /** A digest and where the block lies, for every block that changed; and what is agreed on. */
  private static final int MAP_BYTES_PER_BLOCK = 32;

  private static final int AGREEMENT_BYTES = 64 << 10;
  private static final double DIRTY = 0.03;
  private static final double MOST = 1.1;

  private TierTraffic() {}

  /**
   * One tier; bytes are those of the rank that sent most.
   *
   * @param dirty bytes of the blocks that changed
   * @param sent bytes sent, whatever for
   * @param copies how many times dirty bytes have to be sent
   * @param maps what may be sent beside them
   */
  record Sent(String tier, long dirty, long sent, int copies, long maps) {
    double ratio() {
      return (double) sent / (copies * dirty);
    }

    boolean passed() {
      return sent <= MOST * copies * dirty + maps;
    }
  }

  static List<Sent> measure(Path folder, int ranks, long bytes) throws IOException {
    List<Sent> all = new ArrayList<>();
    all.add(measure(folder, ranks, bytes, "partner", 1, Tiers.none().partner(1)));
    for (int parity = 1; parity <= Math.min(2, ranks - 1); parity++) {
      all.add(
          measure(
              folder,
              ranks,
              bytes,
              "erasure, m = " + parity,
              parity,
              Tiers.none().erasure(1).group(ranks, parity)));
    }
    return all;
  }

  private static Sent measure(
      Path parent, int ranks, long bytes, String tier, int copies, Tiers tiers) throws IOException {
    Path folder = parent.resolve("traffic");
    Traffic counted = new Traffic(ranks);
    long[] sent = new long[ranks];
    long[] dirty = new long[ranks];
    Options options =
        Options.defaults().blockSize(BLOCK).tiers(tiers).threads(1).strategy(Strategy.DIFFERENTIAL);
    Ranks.run(
        ranks,
        rank -> "domain" + rank,
        comm -> {
          CountingCommunicator counting = new CountingCommunicator(comm, counted);
          try (State state = State.offHeap(bytes, 1);
              Checkpointer cairn = Checkpointer.open(folder, counting, options)) {
            state.protect(cairn);
            reach(cairn.checkpoint());
            dirty[comm.rank()] = state.change(DIRTY, true, 8);
            comm.barrier();
            long before = counted.bytesFrom(comm.rank());
            reach(cairn.checkpoint());
            sent[comm.rank()] = counted.bytesFrom(comm.rank()) - before;
            comm.barrier();
          }
        });
    new TargetsCommand.Scratch(folder).close();
    int most = 0;
    for (int rank = 1; rank < ranks; rank++) {
      most = sent[rank] > sent[most] ? rank : most;
    }
    long maps = copies * dirty[most] / BLOCK * MAP_BYTES_PER_BLOCK + AGREEMENT_BYTES;
    return new Sent(tier, dirty[most], sent[most], copies, maps);
  }

  private static void reach(Checkpoint checkpoint) {
    checkpoint.await();
    checkpoint.tiers().forEach(checkpoint::await);
  }
}
