// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Timeout;

/** A job comes back on another number of ranks, whatever was divided how. */
@Timeout(120)
class OtherRanksTest {
  private static final Options OPTIONS = SmallJob.OPTIONS;

  private static Tiers tiers(Random random, MemoryStore shared) {
    return switch (random.nextInt(5)) {
      case 0 -> Tiers.none();
      case 1 -> Tiers.none().partner(1);
      case 2 -> Tiers.none().erasure(1);
      case 3 -> Tiers.none().shared(shared, 1);
      default -> Tiers.none().partner(1).erasure(2).shared(shared, 2);
    };
  }

  /** Lives of one to eight ranks, one after the other; none is disturbed. */
  @SeededTest(seeds = 60)
  void anyNumberFollowsAnyOther(Random random) {
    DividedJob job = new DividedJob(random.nextLong(1 << 20));
    MemoryDirectories directories = new MemoryDirectories();
    MemoryStore shared = new MemoryStore();
    AtomicLong expected = new AtomicLong();
    for (int life = 0; life < 4; life++) {
      DividedJob.Life now = new DividedJob.Life(1 + random.nextInt(8), life);
      Options options = OPTIONS.tiers(tiers(random, shared)).blockSize(128 + random.nextInt(200));
      int steps = 1 + random.nextInt(3);
      boolean patient = random.nextBoolean();
      long before = expected.get();
      List<String> items = new ArrayList<>();
      Ranks.run(
          now.ranks(),
          rank -> "node" + rank,
          comm -> {
            try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
              DividedJob.Rank rank = job.new Rank(cairn, now, comm.rank());
              RestartReport report = rank.restart(RestartRequest.newest());
              assertThat(report.isRestored()).isEqualTo(before > 0);
              assertThat(rank.step()).isEqualTo(before);
              if (report.version().filter(one -> one.ranks() != now.ranks()).isPresent()) {
                rank.checkShare();
                synchronized (items) {
                  items.add(rank.items() + " of " + rank.allItems());
                }
              }
              for (int i = 0; i < steps; i++) {
                rank.advance();
                Checkpoint taken = cairn.checkpoint();
                if (patient) {
                  taken.tiers().forEach(taken::await);
                }
              }
              expected.set(rank.step());
            }
          });
      assertThat(expected.get()).isEqualTo(before + steps);
    }
  }
}
