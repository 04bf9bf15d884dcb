// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.Label;
import org.cairn.comm.Communicator;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.tier.Deltas;
import org.cairn.version.VersionId;

/**
 * How far the indices of versions reach back, whatever is kept: to files that hold indices alone,
 * never to a segment. So of a version that is not kept any more nothing stays but blocks that
 * others have, and a whole index is written no more often than the changes pay for it.
 */
class ChainReachTest {
  private static final int RANKS = 2;
  private static final int FLUSHES = 40;
  private static final int BLOCKS = 101;

  /** A job, and what was counted of it. */
  private static final class History {
    private final MemoryStore shared = new MemoryStore();
    private final SharedJob job = new SharedJob(shared, RANKS, SharedJob.job(1, RANKS));
    private final Random random;
    private final int retain;
    private final Set<VersionId> kept = new TreeSet<>();
    private final TreeSet<VersionId> taken = new TreeSet<>();
    private final Set<String> whole = new HashSet<>();
    private long written;

    History(Random random) {
      this.random = random;
      this.retain = 1 + random.nextInt(5);
      job.tiers = job.tiers.sharedRetain(retain).sharedGroup(1 + random.nextInt(RANKS));
    }

    private VersionId checkpoint() throws IOException {
      boolean keeps = random.nextInt(10) == 0;
      int most = random.nextInt(12) == 0 ? BLOCKS : 1 + random.nextInt(4);
      VersionId id =
          job.checkpoint(
              state -> {
                for (int i = 0; i < most; i++) {
                  state[random.nextInt(BLOCKS) * SharedJob.BLOCK]++;
                }
              },
              keeps ? Label.none().keep() : Label.none());
      taken.add(id);
      if (keeps) {
        kept.add(id);
      }
      return id;
    }

    /** One tier that remembers what it flushed, until it is closed. */
    void flush(int times) {
      VersionId[] next = new VersionId[1];
      job.all(
          (tier, comm) -> {
            for (int i = 0; i < times; i++) {
              if (comm.rank() == 0) {
                next[0] = checkpoint();
              }
              comm.barrier();
              VersionId id = next[0];
              tier.protect(id, Deltas.UNKNOWN);
              comm.barrier();
              tier.nowStable(id);
              comm.barrier();
              check(comm, id);
            }
          });
    }

    private void check(Communicator comm, VersionId newest) throws IOException {
      if (comm.rank() == 0) {
        count(newest);
        checkReach();
      }
    }

    /** Versions that a program or a person wants. */
    private Set<VersionId> wanted() {
      Set<VersionId> all = new TreeSet<>(kept);
      taken.descendingSet().stream().limit(retain).forEach(all::add);
      return all;
    }

    private void count(VersionId newest) throws IOException {
      Map<String, Long> live = SharedJob.index(shared, newest, 0).liveBytes();
      List<String> chain = SharedJob.chain(shared, newest, 0);
      written += live.getOrDefault(chain.getFirst(), 0L) / SharedJob.BLOCK;
      if (chain.size() > 1) {
        whole.add(chain.getLast());
      }
    }

    private void checkReach() throws IOException {
      Set<String> linked = new TreeSet<>();
      Set<String> own = new TreeSet<>();
      Set<String> withBlocks = new TreeSet<>();
      List<Manifest> versions = new SharedDirectory(shared).list().versions();
      assertThat(versions.stream().map(Manifest::version))
          .containsExactlyInAnyOrderElementsOf(wanted());
      for (Manifest manifest : versions) {
        for (int rank = 0; rank < RANKS; rank++) {
          List<String> chain = SharedJob.chain(shared, manifest.version(), rank);
          own.add(chain.getFirst());
          linked.addAll(chain.subList(1, chain.size()));
          assertThat(chain.size() - 1).as("links of %s", manifest.version()).isLessThan(5);
          SharedJob.index(shared, manifest.version(), rank)
              .liveBytes()
              .forEach((name, bytes) -> withBlocks.addAll(bytes > 0 ? Set.of(name) : Set.of()));
        }
      }
      assertThat(linked).as("links").allMatch(SharedNames::isOfIndices);
      withBlocks.addAll(own);
      withBlocks.addAll(linked);
      assertThat(shared.list().stream().filter(name -> SharedNames.segment(name).isPresent()))
          .as("what is there: versions, blocks that they have, indices that they link to")
          .containsExactlyInAnyOrderElementsOf(withBlocks);
    }
  }

  @SeededTest(seeds = 6)
  void nothingStaysForAnIndexAlone(Random random) throws IOException {
    History history = new History(random);
    int left = FLUSHES;
    while (left > 0) {
      int some = Math.min(left, 1 + random.nextInt(12));
      history.flush(some);
      left -= some;
    }
    assertThat(history.whole.size())
        .as("whole indices for %d blocks written, of %d", history.written, BLOCKS)
        .isLessThanOrEqualTo((int) (1 + 3 * history.written / BLOCKS));
    for (VersionId version : history.wanted()) {
      history.job.verify(version);
    }
  }
}
