// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Instant;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.memory.Remains;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process may open checkpoints as often as it likes: of what is closed, Cairn keeps nothing. */
class LetGoTest {
  private static final int TIMES = 6;
  private static final int ROWS = 120;

  @TempDir Path directory;
  private final Remains remains = new Remains();

  /** Each time of another number than before, so that worlds come and go as well. */
  @Test
  void ranksThatClosed() {
    for (int time = 0; time < TIMES; time++) {
      Ranks.run(1 + time % 3, this::live);
    }
    assertThat(remains.watched()).isEqualTo(2 * (1 + 2 + 3) * TIMES / 3);
    assertThat(remains.count()).isZero();
  }

  private void live(Communicator comm) {
    Options options =
        SampleState.options().asynchronous(true).tiers(Tiers.none().partner(1).erasure(1));
    try (Checkpointer cairn = remains.of(Checkpointer.open(directory, comm, options))) {
      int from = ROWS * comm.rank() / comm.size();
      int to = ROWS * (comm.rank() + 1) / comm.size();
      double[] rows = remains.of(new double[to - from]);
      cairn
          .protect("rows", rows)
          .part(Part.of(new long[] {ROWS}, new long[] {from}, new long[] {to - from}));
      cairn.restart();
      rows[0]++;
      cairn.checkpoint();
    }
  }

  /** The first one is there all the time, and the others are refused. */
  @Test
  void thoseThatWereRefused() {
    Store store = new MemoryStore();
    try (Checkpointer first = Checkpointer.open(store, SampleState.options())) {
      for (int time = 0; time < TIMES; time++) {
        Options options = SampleState.options().clock(remains.of(new ProgramClock()));
        assertThatThrownBy(() -> Checkpointer.open(store, options))
            .isInstanceOf(CheckpointDirectoryException.class);
      }
      first.checkpoint();
    }
    assertThat(remains.count()).isZero();
  }

  private static final class ProgramClock implements Clock {
    @Override
    public Instant now() {
      return Clock.system().now();
    }

    @Override
    public long nanos() {
      return Clock.system().nanos();
    }
  }
}
