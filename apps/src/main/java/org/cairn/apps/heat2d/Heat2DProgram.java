// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

import java.io.IOException;
import java.util.List;
import org.cairn.Checkpointer;
import org.cairn.DoubleCell;
import org.cairn.IntCell;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.cairn.comm.SoloCommunicator;

/**
 * Heat2D as a program that survives being killed: started again with the same options, it goes on
 * from its newest checkpoint and ends with the same bits.
 *
 * <p>What Cairn needs to know is all in {@link #run}: which data make up the state, where to start
 * over, and when the state is consistent.
 */
public final class Heat2DProgram {
  /** The plate is at rest when no point changes by more than this. */
  private static final double PRECISION = .005;

  /** How often, in iterations, the change is looked at. */
  private static final int LOOK_EVERY = 5;

  private final Heat2DOptions options;
  private final Communicator ranks;
  private final ProgressLines progress;

  private Heat2DProgram(Heat2DOptions options, Communicator ranks) {
    this.options = options;
    this.ranks = ranks;
    this.progress =
        new ProgressLines(
            options.progress() && ranks.rank() == 0, options.iterations(), System.out);
  }

  /** Runs the program to its end, as one rank. */
  public static Heat2DResult run(Heat2DOptions options) throws IOException {
    try (Communicator solo = new SoloCommunicator()) {
      return run(options, solo);
    }
  }

  /** Runs the program to its end, as one of these ranks. */
  public static Heat2DResult run(Heat2DOptions options, Communicator ranks) throws IOException {
    return new Heat2DProgram(options, ranks).run();
  }

  private Heat2DResult run() throws IOException {
    try (Checkpointer cairn = Checkpointer.open(options.checkpoints(), ranks, cairnOptions())) {
      LongCell iteration = cairn.protectEverywhere("iteration", 0L);
      DoubleCell change = cairn.protectEverywhere("change", Double.POSITIVE_INFINITY);
      // The plate is that of the ranks it began with, and there may be another number now.
      IntCell began = cairn.protectEverywhere("ranks", ranks.size());
      cairn.peek(options.restart(), "ranks");
      Heat2D heat = new Heat2D(options.size(), ranks, began.get());
      // Another array after each step, hence a way to find it rather than the array itself.
      cairn.protect("plate", double[].class, heat::plate, heat::plateToRestore).part(heat.part());

      RestartReport report = cairn.restart(options.restart()); // does nothing on a first run
      progress.started(report, iteration.get());

      while (iteration.get() < options.iterations()) {
        heat.step();
        if (iteration.get() % LOOK_EVERY == 0) {
          change.set(heat.change());
        }
        if (change.get() < PRECISION) {
          break;
        }
        iteration.increment();
        checkpoint(cairn, iteration.get());
        progress.reached(iteration.get());
      }
      progress.finished(iteration.get());
      return finish(heat, iteration.get(), change.get());
    }
  }

  private void checkpoint(Checkpointer cairn, long iteration) {
    if (options.every() == 0) {
      cairn.checkpointIfDue();
    } else if (iteration % options.every() == 0) {
      cairn.checkpoint();
    }
  }

  private Options cairnOptions() {
    Options named =
        options.job().isEmpty() ? Options.defaults() : Options.defaults().job(options.job());
    return named
        .every(options.interval())
        .asynchronous(options.asynchronous())
        .tiers(options.tiers())
        .inMemory(options.inMemory())
        .threads(Math.max(1, Runtime.getRuntime().availableProcessors() / ranks.size()));
  }

  private Heat2DResult finish(Heat2D heat, long iterations, double change) throws IOException {
    Heat2DResult result = Heat2DResult.of(heat, iterations, change);
    if (options.result() != null) {
      result.write(heat, ranks, options.result());
    }
    return result;
  }

  /** See {@link Heat2DOptions#USAGE}. */
  public static void main(String[] arguments) throws IOException {
    if (List.of(arguments).contains("--help")) {
      System.out.print(Heat2DOptions.USAGE);
      return;
    }
    Heat2DOptions options;
    try {
      options = Heat2DOptions.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.println("heat2d: " + e.getMessage());
      System.err.print(Heat2DOptions.USAGE);
      System.exit(2);
      return;
    }
    try (Communicator ranks = Communicators.world()) {
      Heat2DResult result = run(options, ranks);
      if (ranks.rank() == 0) {
        System.out.print(result);
      }
    }
  }
}
