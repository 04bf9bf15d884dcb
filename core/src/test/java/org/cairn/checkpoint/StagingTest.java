// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Staging memory follows the state, and is shared by the ranks of a host. */
class StagingTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @CsvSource({
    // state, threads, ranks of the host, staging, buffer: all in MiB
    "0, 2, 1, 8, 2",
    "64, 2, 1, 8, 2",
    "256, 2, 1, 32, 4",
    "256, 16, 1, 32, 2",
    "1024, 2, 1, 128, 4",
    "65536, 2, 1, 256, 4",
    "65536, 2, 16, 16, 4",
    "65536, 1, 64, 4, 2",
    "65536, 1, 1000, 2, 2",
  })
  void memoryFollowsTheState(long state, int threads, int ranks, long bytes, long buffer) {
    Staging staging = new Staging(0, 0, threads, ranks);
    assertThat(staging.bytes(state * MIB)).isEqualTo(bytes * MIB);
    assertThat(staging.buffer(state * MIB)).isEqualTo((int) (buffer * MIB));
  }

  @Test
  void whatSomebodyChoseStays() {
    Staging staging = new Staging(100 * MIB, (int) (8 * MIB), 2, 16);
    assertThat(staging.bytes(MIB)).isEqualTo(100 * MIB);
    assertThat(staging.buffer(MIB)).isEqualTo((int) (8 * MIB));
  }

  @Test
  void thePoolGrowsWithTheState() {
    try (StagingPool pool = new StagingPool(new Staging(0, 0, 1, 1))) {
      pool.serve(0);
      assertThat(buffers(pool)).isEqualTo(3);
      pool.serve(128 * MIB);
      assertThat(buffers(pool)).as("16 MiB in buffers as small as the first").isEqualTo(6);
      pool.serve(MIB);
      assertThat(buffers(pool)).as("what there is stays").isEqualTo(6);
    }
  }

  /** Takes what can be had without waiting, and gives it back. */
  private static int buffers(StagingPool pool) {
    List<Batch> taken = new ArrayList<>();
    for (Batch batch = pool.poll(); batch != null; batch = pool.poll()) {
      taken.add(batch);
    }
    taken.forEach(pool::give);
    return taken.size();
  }
}
