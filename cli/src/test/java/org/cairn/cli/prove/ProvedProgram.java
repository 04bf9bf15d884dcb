// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.cairn.store.DirectoryStore;

/** A program of somebody who uses Cairn, and makes the mistake that he is told to make. */
public final class ProvedProgram {
  private static final int STEPS = 40;

  private ProvedProgram() {}

  /** Adds up, step by step, what another array says. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Set<String> mistakes = Set.copyOf(Arrays.asList(arguments));
    try (Communicator ranks = Communicators.world();
        Checkpointer cairn = open(ranks, mistakes, arguments)) {
      double[] sums = new double[5000];
      double[] steps = new double[5000];
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("sums", sums);
      if (!mistakes.contains("forgets")) {
        cairn.protect("steps", steps);
      }
      boolean restored = cairn.restart().version().isPresent();
      while (restored && mistakes.contains("hangs")) {
        Thread.sleep(1000);
      }
      while (step.get() < STEPS) {
        for (int i = 0; i < sums.length; i++) {
          steps[i] += 1 / (i + 1.0);
          sums[i] += steps[i] * (ranks.rank() + 1);
        }
        if (step.increment() % 4 == 0 && !mistakes.contains("never")) {
          cairn.checkpoint();
        }
        Thread.sleep(5);
      }
      double chance = mistakes.contains("random") ? System.nanoTime() : 0;
      String result = Arrays.toString(sums).replace(", ", "\n") + chance + "\n";
      Files.writeString(Path.of("sums" + ranks.rank() + ".txt"), result);
    }
  }

  private static Checkpointer open(Communicator ranks, Set<String> mistakes, String[] arguments)
      throws IOException {
    Tiers tiers = ranks.size() > 1 ? Tiers.none().partner(1) : Tiers.none();
    if (mistakes.contains("shared")) {
      tiers = tiers.shared(DirectoryStore.shared(Path.of(arguments[1])), 1);
    }
    Path directory = Path.of(mistakes.contains("outside") ? arguments[1] : "checkpoints");
    return Checkpointer.open(directory, ranks, Options.defaults().tiers(tiers));
  }
}
