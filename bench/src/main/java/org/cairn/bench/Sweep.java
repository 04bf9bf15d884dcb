// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.Checkpoint;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.HashAlgorithm;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.cli.terminal.ProgressBar;

/**
 * Measures combinations of dirty fraction, pattern, block size, algorithm and mode. Two
 * checkpointers save the same state side by side, one always differential, one always full; in
 * every round each fraction has its turn, and the full one too.
 */
final class Sweep {
  private final Settings settings;
  private final State state;
  private final ProgressBar bar;

  Sweep(Settings settings, State state, ProgressBar bar) {
    this.settings = settings;
    this.state = state;
    this.bar = bar;
  }

  /** Measures fractions, contiguous and random, for one way of hashing and waiting. */
  List<Cell> measure(
      HashAlgorithm algorithm, int blockSize, boolean asynchronous, List<Double> fractions)
      throws IOException {
    Options options =
        Options.defaults()
            .threads(settings.threads())
            .hash(algorithm)
            .blockSize(blockSize)
            .asynchronous(asynchronous);
    if (asynchronous) {
      options = options.staging(state.bytes() + (32L << 20));
    }
    try (TargetsCommand.Scratch folder = TargetsCommand.Scratch.in(settings.directory());
        Checkpointer differential =
            Checkpointer.open(
                folder.path().resolve("dcp"), options.strategy(Strategy.DIFFERENTIAL));
        Checkpointer full =
            Checkpointer.open(folder.path().resolve("full"), options.strategy(Strategy.FULL))) {
      state.protect(differential);
      state.protect(full);
      List<Case> cases = cases(fractions, differential);
      Map<String, Series> series = run(cases, full);
      Series fullSeconds = Targets.get(series, "full");
      long memory = differential.usage().mapMemory();
      return cases.stream()
          .map(
              each ->
                  each.cell(
                      asynchronous,
                      algorithm,
                      blockSize,
                      Targets.get(series, each.name()),
                      fullSeconds,
                      memory))
          .toList();
    }
  }

  private List<Case> cases(List<Double> fractions, Checkpointer differential) {
    List<Case> cases = new ArrayList<>();
    for (double fraction : fractions) {
      cases.add(new Case(fraction, false, differential));
      cases.add(new Case(fraction, true, differential));
    }
    return cases;
  }

  private Map<String, Series> run(List<Case> cases, Checkpointer full) throws IOException {
    Rounds rounds = new Rounds();
    rounds.add("full", () -> waits(full));
    cases.forEach(each -> rounds.add(each.name(), each::seconds));
    Map<String, Series> series = new LinkedHashMap<>(rounds.run(1, settings.rounds()));
    bar.advance(1);
    return series;
  }

  /** What the program waits; the checkpoint is durable when this returns. */
  private static double waits(Checkpointer cairn) {
    return take(cairn).waited().toNanos() * 1e-9;
  }

  private static CheckpointStats take(Checkpointer cairn) {
    Checkpoint taken = cairn.checkpoint();
    return taken.await().stats().orElseThrow();
  }

  /** One fraction and pattern, and what the checkpoints of it said about themselves. */
  private final class Case {
    private final double fraction;
    private final boolean scattered;
    private final Checkpointer cairn;
    private final List<CheckpointStats> all = new ArrayList<>();

    Case(double fraction, boolean scattered, Checkpointer cairn) {
      this.fraction = fraction;
      this.scattered = scattered;
      this.cairn = cairn;
    }

    String name() {
      return fraction + (scattered ? " random" : " contiguous");
    }

    double seconds() {
      state.change(fraction, scattered, step());
      CheckpointStats stats = take(cairn);
      all.add(stats);
      return stats.waited().toNanos() * 1e-9;
    }

    /** Every block of a changed unit must differ, however small blocks are. */
    private int step() {
      return Math.min(State.GRAIN, 128);
    }

    Cell cell(
        boolean asynchronous,
        HashAlgorithm algorithm,
        int blockSize,
        Series seconds,
        Series fullSeconds,
        long memory) {
      return new Cell(
          asynchronous,
          algorithm,
          blockSize,
          scattered,
          fraction,
          seconds,
          fullSeconds,
          median(CheckpointStats::dirtyFraction),
          median(stats -> share(stats, stats.hashing().toNanos())),
          median(stats -> share(stats, stats.writing().toNanos() + stats.forcing().toNanos())),
          memory);
    }

    private double median(java.util.function.ToDoubleFunction<CheckpointStats> figure) {
      // The first was a warm-up.
      return new Series(all.stream().skip(1).mapToDouble(figure).toArray()).median();
    }

    private static double share(CheckpointStats stats, long nanos) {
      return (double) nanos / stats.untilDurable().toNanos();
    }
  }
}
