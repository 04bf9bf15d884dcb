// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.cairn.Checkpoint;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;

/**
 * A program with checkpoints that fail on one of its ranks, in several ways. It says what each rank
 * was told, goes on, and in the end restores what it saved last.
 */
public final class FailingRank {
  private static final int FAILING = 1;
  private static final int DOUBLES = 100_000;

  private final Communicator ranks;
  private final Checkpointer cairn;
  private final LongCell step;
  private double[] state = new double[DOUBLES];
  private boolean unable;

  private FailingRank(Communicator ranks, Checkpointer cairn) {
    this.ranks = ranks;
    this.cairn = cairn;
    this.step = cairn.protect("step", 0L);
    cairn.protect("state", double[].class, this::state, this::allocate);
  }

  private double[] state() {
    if (unable) {
      throw new IllegalStateException("the state is being rearranged");
    }
    return state;
  }

  private double[] allocate(long length) {
    state = new double[Math.toIntExact(length)];
    return state;
  }

  /** The directory for checkpoints. */
  public static void main(String[] arguments) throws Exception {
    try (Communicator ranks = Communicators.world()) {
      Options options = Options.defaults().threads(1).tiers(Tiers.none().partner(1));
      try (Checkpointer cairn = Checkpointer.open(Path.of(arguments[0]), ranks, options)) {
        new FailingRank(ranks, cairn).run();
      }
    }
  }

  private void run() throws Exception {
    say("has " + advance().version());

    limitFiles("4096");
    say("full disk: " + failure(this::advance));
    say("again: " + failure(this::advance));
    limitFiles("unlimited");
    say("then has " + advance().version());

    limitFiles("4096");
    say(
        "in the background: "
            + failure(
                () -> {
                  compute();
                  cairn.checkpointAsync();
                  return cairn.checkpoint();
                }));
    limitFiles("unlimited");
    say("then has " + advance().version());

    unable = ranks.rank() == FAILING;
    say("no answer: " + failure(this::advance));
    unable = false;
    Checkpoint last = advance();
    last.await(TierKind.PARTNER);
    long expected = step.get();
    compute();
    RestartReport report = cairn.restart();
    boolean right = step.get() == expected && Arrays.stream(state).allMatch(x -> x == expected);
    say("restored " + last.version().equals(report.version().orElse(null)) + " right " + right);
  }

  private Checkpoint advance() {
    compute();
    return cairn.checkpoint();
  }

  private void compute() {
    step.increment();
    Arrays.fill(state, step.get());
  }

  private interface Attempt {
    Checkpoint make();
  }

  private static String failure(Attempt attempt) {
    try {
      return "no failure, but " + attempt.make().version();
    } catch (CheckpointFailedException e) {
      return String.valueOf(e.getMessage()).replace('\n', ' ');
    }
  }

  /** Beyond this many bytes writing fails, as on a full disk; only where ranks are to fail. */
  private void limitFiles(String bytes) throws IOException, InterruptedException {
    ranks.barrier();
    if (ranks.rank() == FAILING) {
      long self = ProcessHandle.current().pid();
      Process limiter =
          new ProcessBuilder("prlimit", "--pid", "" + self, "--fsize=" + bytes + ":").start();
      if (!limiter.waitFor(20, TimeUnit.SECONDS) || limiter.exitValue() != 0) {
        throw new IOException(new String(limiter.getErrorStream().readAllBytes(), UTF_8));
      }
    }
    ranks.barrier();
  }

  private void say(String what) {
    System.out.print("rank " + ranks.rank() + " " + what + "\n");
    System.out.flush();
  }
}
