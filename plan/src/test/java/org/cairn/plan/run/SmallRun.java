// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;

/** A program with real checkpoints, each 100 s after the one before by its clock. */
final class SmallRun {
  static final int BLOCKS = 16;
  private static final int BLOCK = 1024;

  final SkewedClock clock = new SkewedClock();
  private final Path directory;
  private final Options options;

  SmallRun(Path directory) {
    this.directory = directory;
    options =
        Options.defaults().clock(clock).blockSize(BLOCK).threads(1).strategy(Strategy.DIFFERENTIAL);
  }

  /** A life of one rank, in which each step changes one block. */
  void live(int checkpoints) {
    live(checkpoints, cairn -> {});
  }

  /** What a life does after its checkpoints. */
  interface End {
    void run(Checkpointer cairn);
  }

  void live(int checkpoints, End end) {
    try (Checkpointer cairn = Checkpointer.open(directory, options)) {
      byte[] state = new byte[BLOCKS * BLOCK];
      cairn.protect("state", state);
      cairn.restart();
      for (int i = 0; i < checkpoints; i++) {
        clock.leap(Duration.ofSeconds(100));
        state[i * BLOCK]++;
        cairn.checkpoint();
      }
      end.run(cairn);
    }
  }

  /** Leaves the logs as a killed program would: without their last line, which says it closed. */
  void kill() {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path log : files.filter(f -> f.endsWith("events.jsonl")).toList()) {
        List<String> lines = Files.readAllLines(log);
        if (!lines.getLast().contains("\"close\"")) {
          throw new AssertionError(lines.getLast());
        }
        Files.write(log, lines.subList(0, lines.size() - 1));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A life of two ranks with partners, each on a node of its own. */
  void liveTogether(int checkpoints) {
    CyclicBarrier together = new CyclicBarrier(2, () -> clock.leap(Duration.ofSeconds(100)));
    Options both = options.tiers(Tiers.none().partner(1));
    Ranks.run(
        2,
        rank -> "node" + rank,
        ranks -> {
          try (Checkpointer cairn = Checkpointer.open(directory, ranks, both)) {
            byte[] state = new byte[(1 + ranks.rank()) * BLOCKS * BLOCK];
            cairn.protect("state", state);
            cairn.restart();
            for (int i = 0; i < checkpoints; i++) {
              together.await(20, TimeUnit.SECONDS);
              state[i * BLOCK]++;
              cairn.checkpoint();
            }
          }
        });
  }
}
