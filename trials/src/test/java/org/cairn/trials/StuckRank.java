// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;

/** A program of which one rank does something else than the others, while they wait for it. */
public final class StuckRank {
  private static final String INTERRUPTED = "is interrupted";
  private static final int ODD_ONE = 1;
  private static final int LONG_UNDER_WAY = 4 << 20;
  private static final Duration LIMIT = Duration.ofMillis(1500);

  /** So long that it is not waited for. */
  private static final Duration LONG_LIMIT = Duration.ofMinutes(1);

  private StuckRank() {}

  /** The directory for checkpoints, and what the odd rank does after the first of them. */
  public static void main(String[] arguments) throws Exception {
    try (Communicator ranks = Communicators.world()) {
      Duration limit = arguments[1].equals(INTERRUPTED) ? LONG_LIMIT : LIMIT;
      Options options =
          Options.defaults().threads(1).waitAtMost(limit).tiers(Tiers.none().partner(1));
      try (Checkpointer cairn = Checkpointer.open(Path.of(arguments[0]), ranks, options)) {
        cairn.protect("state", new double[1000]);
        cairn.checkpoint();
        if (arguments[1].equals("exits before others close")) {
          cairn.protect("more", new Random(ranks.rank()).doubles(LONG_UNDER_WAY).toArray());
          cairn.checkpoint();
          if (ranks.rank() == ODD_ONE) {
            System.exit(0); // the partner tier has only begun
          }
          return;
        }
        if (ranks.rank() != ODD_ONE && arguments[1].equals(INTERRUPTED)) {
          Thread.sleep(LIMIT); // it has to wait for them
        }
        if (ranks.rank() == ODD_ONE) {
          doOtherwise(arguments[1], cairn);
        }
        cairn.checkpoint();
      }
      System.out.print("rank " + ranks.rank() + " is done\n");
      System.out.flush();
    }
  }

  private static void doOtherwise(String what, Checkpointer cairn) throws Exception {
    switch (what) {
      case "exits" -> System.exit(0);
      case "returns" -> {
        cairn.close();
        System.exit(0);
      }
      case "is stopped" ->
          new ProcessBuilder("kill", "-STOP", "" + ProcessHandle.current().pid()).start().waitFor();
      case "computes" -> Thread.sleep(LIMIT.multipliedBy(3));
      case INTERRUPTED -> interruptItself(cairn);
      default -> throw new IllegalArgumentException(what);
    }
  }

  /** In the middle of what all ranks do; its program then goes on as if nothing had happened. */
  private static void interruptItself(Checkpointer cairn) throws InterruptedException {
    Thread.currentThread().interrupt();
    try {
      cairn.checkpoint();
    } catch (CommunicationException e) {
      System.out.print("rank 1 was told: " + e.getMessage() + "\n");
      System.out.flush();
    }
    Thread.interrupted();
    Thread.sleep(LONG_LIMIT.multipliedBy(10));
  }
}
