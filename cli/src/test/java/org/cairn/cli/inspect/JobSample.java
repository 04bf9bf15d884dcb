// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;

/**
 * Checkpoints of a job of four ranks to look at: {@code u}, random doubles in four blocks, and
 * {@code step}, on every rank. Partners get every version, parity is made of every second.
 */
final class JobSample {
  static final int RANKS = 4;

  private JobSample() {}

  static void write(Path directory, int versions) {
    // Patient: on a busy machine no tier may be passed over.
    Tiers tiers = Tiers.none().partner(1).erasure(2).patience(Duration.ofMinutes(1));
    // What a tier does not get in its turn it is not to get at the end either.
    Options options =
        Options.defaults().retain(10).threads(1).tiers(tiers).flushOnClose(Duration.ZERO);
    Ranks.run(
        RANKS,
        rank -> "node" + rank,
        world -> {
          double[] u = new Random(world.rank()).doubles(Sample.DOUBLES).toArray();
          try (Checkpointer cairn = Checkpointer.open(directory, world, options)) {
            LongCell step = cairn.protect("step", 0L);
            cairn.protect("u", u);
            cairn.restart();
            for (int i = 0; i < versions; i++) {
              u[i % 4 * Sample.PER_BLOCK + 5] += i;
              step.increment();
              cairn.checkpoint();
            }
          }
        });
  }
}
