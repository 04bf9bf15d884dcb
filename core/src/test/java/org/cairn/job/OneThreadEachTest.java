// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.cairn.Checkpoint;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;
import org.cairn.comm.Ranks.Program;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.comm.BaseCommunicatorTest;
import org.junit.jupiter.api.Test;

/**
 * A transport whose communicators serve one thread each is enough for tiers that work in the
 * background, each with a communicator of its own.
 */
class OneThreadEachTest extends BaseCommunicatorTest {
  private final Host host = new Host("host", 1);
  private final SmallJob job = new SmallJob(4, host);
  private final OneThreadEach.Log log = new OneThreadEach.Log();

  /** It keeps the promises of communicators, so that what fails below is not its fault. */
  @Override
  protected void run(int ranks, Program program) {
    Ranks.run(ranks, inner -> program.run(new OneThreadEach(inner, log)));
    assertThat(log.overlaps).isEmpty();
  }

  @Override
  protected int maximumRanks() {
    return 3;
  }

  private void serveOneThreadEach() {
    Tiers tiers = Tiers.none().partner(1).erasure(1).shared(new MemoryStore(), 1);
    job.options = rank -> SmallJob.OPTIONS.tiers(tiers).flushOnClose(Duration.ofSeconds(60));
    job.comm = plain -> new OneThreadEach(plain, log);
  }

  @Test
  void tiersWorkInTheBackground() {
    serveOneThreadEach();
    job.run(
        rank -> {
          for (int i = 0; i < 6; i++) {
            rank.advance();
            Checkpoint checkpoint = rank.cairn().checkpointAsync();
            if (i % 2 == 1) {
              checkpoint.await(TierKind.ERASURE);
              rank.cairn().flush(TierKind.SHARED);
            }
          }
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(log.overlaps).isEmpty();
    assertThat(log.threads)
        .contains("cairn-agreement", "cairn-partner", "cairn-erasure", "cairn-shared");
  }

  @Test
  void whatWasLostComesBack() {
    serveOneThreadEach();
    job.steps(3);
    host.forget("rank1");
    job.steps(1);
    assertThat(job.report().origins()).isNotEmpty();
    assertThat(job.restoredStep()).isEqualTo(4);
    assertThat(log.overlaps).isEmpty();
  }

  /** Unlike one for a single thread, it may be left by another than the one that opened it. */
  @Test
  void anotherThreadMayClose() {
    serveOneThreadEach();
    job.run(
        rank -> {
          rank.advance();
          rank.cairn().checkpointAsync();
          CompletableFuture.runAsync(rank.cairn()::close).get();
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(job.restoredStep()).isEqualTo(1);
    assertThat(log.overlaps).isEmpty();
  }
}
