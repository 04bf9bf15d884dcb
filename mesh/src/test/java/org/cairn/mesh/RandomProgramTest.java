// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.cairn.Options;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random programs of loops, killed at a random loop in each of some lives and started again on any
 * number of ranks and threads: they end with the bits of a run that nobody disturbed. At each
 * restart all that was not saved is made wrong.
 */
class RandomProgramTest {
  @TempDir Path folder;

  private static MeshOptions options(Random random, double predicts) {
    Options often =
        Options.defaults()
            .every(Duration.ofNanos(1))
            .asynchronous(random.nextBoolean())
            .threads(1)
            .staging(1 << 20);
    return MeshOptions.of(often)
        .threads(1 + random.nextInt(3))
        .hooks(new MeshOptions.Hooks(true, predicts, 4));
  }

  @SeededTest(seeds = 25)
  void endsAlike(long seed) {
    survives(seed, 1);
  }

  /** Most of what is predicted is wrong: what is missing must be saved late. */
  @SeededTest(seeds = 10)
  void endsAlikeWhateverIsPredicted(long seed) {
    survives(seed, .3);
  }

  private void survives(long seed, double predicts) {
    RandomProgram program = new RandomProgram(seed);
    Random random = new Random(seed ^ 0x5EED);
    MeshOptions never = MeshOptions.of(Options.defaults().every(Duration.ofDays(1))).threads(1);
    RandomProgram.Result straight =
        program.run(folder.resolve("straight"), new SoloCommunicator(), never, -1);
    Path job = folder.resolve("job");
    for (int life = 0; life < 4; life++) {
      int ranks = 1 + random.nextInt(3);
      long killedAfter = random.nextLong(straight.calls() + 1);
      MeshOptions options = options(random, predicts);
      List<RandomProgram.Result> results = Collections.synchronizedList(new ArrayList<>());
      try {
        Ranks.run(ranks, comm -> results.add(program.run(job, comm, options, killedAfter)));
      } catch (RuntimeException e) {
        assertThat(e).hasRootCauseInstanceOf(RandomProgram.Killed.class);
        continue;
      }
      results.forEach(one -> assertThat(one.values()).isEqualTo(straight.values()));
    }
    List<RandomProgram.Result> last = Collections.synchronizedList(new ArrayList<>());
    MeshOptions options = options(random, predicts);
    Ranks.run(2, comm -> last.add(program.run(job, comm, options, -1)));
    if (last.isEmpty()) {
      fail("nobody ended");
    }
    last.forEach(one -> assertThat(one.values()).isEqualTo(straight.values()));
  }
}
