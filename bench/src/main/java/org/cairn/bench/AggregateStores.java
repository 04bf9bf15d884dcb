// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.cairn.bench.aggregate.Computing;
import org.cairn.bench.aggregate.LoadedSet;
import org.cairn.bench.aggregate.StoreRun;
import org.cairn.bench.aggregate.StoreRun.Configuration;
import org.cairn.bench.aggregate.ThrottledStore;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;

/**
 * Checkpoints and restarts in the configurations of the paper's table 5, through stores that are
 * held to a bandwidth (figures 10 to 13); and what they take from a program that computes on the
 * same cores.
 */
final class AggregateStores {
  /** Faster than any file. */
  private static final double UNLIMITED = 1e12;

  private static final double MEGABYTE = 1e6;

  private final Path folder;
  private final int threads;
  private final int rounds;

  AggregateStores(Path folder, int threads, int rounds) {
    this.folder = folder;
    this.threads = threads;
    this.rounds = rounds;
  }

  /**
   * The best of all rounds.
   *
   * @param store its bandwidth in MB/s
   */
  record Result(
      String set,
      Configuration configuration,
      double store,
      double ratio,
      StoreRun.Checkpoint checkpoint,
      StoreRun.Restart restart) {
    double seconds() {
      return checkpoint.all();
    }

    boolean isAuto() {
      return configuration == Configuration.AWARE_AUTO;
    }
  }

  /** All configurations at a store, in turn, round after round. */
  List<Result> measure(LoadedSet set, double megabytesPerSecond) throws IOException {
    Store store = new ThrottledStore(directory(), megabytesPerSecond * MEGABYTE);
    List<StoreRun> runs = new ArrayList<>();
    for (Configuration configuration : Configuration.values()) {
      runs.add(new StoreRun(set, configuration, threads));
    }
    try {
      Result[] best = new Result[runs.size()];
      for (int round = -1; round < rounds; round++) { // the first is to learn from, and to check
        for (int i = 0; i < best.length; i++) {
          Result one = once(set, runs.get(i), megabytesPerSecond, store, round < 0);
          best[i] = round <= 0 ? one : better(best[i], one);
        }
      }
      return List.of(best);
    } finally {
      runs.forEach(StoreRun::close);
    }
  }

  private static Result once(
      LoadedSet set, StoreRun run, double bandwidth, Store store, boolean check)
      throws IOException {
    StoreRun.Checkpoint checkpoint = run.checkpoint(store);
    return new Result(
        set.name(),
        run.configuration(),
        bandwidth,
        (double) set.bytes() / checkpoint.stored(),
        checkpoint,
        run.restart(store, check));
  }

  private static Result better(Result one, Result other) {
    return new Result(
        one.set,
        one.configuration,
        one.store,
        other.ratio,
        one.checkpoint.all() <= other.checkpoint.all() ? one.checkpoint : other.checkpoint,
        one.restart.all() <= other.restart.all() ? one.restart : other.restart);
  }

  private DirectoryStore directory() throws IOException {
    return DirectoryStore.open(Files.createTempDirectory(folder, "store"), false);
  }

  /**
   * The bandwidth below which a configuration is sooner done than one that stores data as they are:
   * encoding goes on while others are stored, so it is what is encoded in a second.
   */
  record BreakEven(String set, Configuration configuration, double megabytesPerSecond) {}

  List<BreakEven> breakEven(LoadedSet set) throws IOException {
    List<BreakEven> all = new ArrayList<>();
    for (Configuration configuration :
        List.of(
            Configuration.C_NOAGG,
            Configuration.AGNOSTIC_AGG,
            Configuration.AWARE_FAST,
            Configuration.AWARE_SMALL)) {
      Store store = new ThrottledStore(directory(), UNLIMITED);
      try (StoreRun run = new StoreRun(set, configuration, threads)) {
        double best = Double.POSITIVE_INFINITY;
        for (int round = 0; round <= rounds; round++) {
          best = Math.min(best, run.checkpoint(store).all());
        }
        all.add(new BreakEven(set.name(), configuration, set.bytes() / best / MEGABYTE));
      }
    }
    return all;
  }

  /**
   * What a program on the same cores loses.
   *
   * @param seconds that the checkpoint took beside it
   * @param slowdown how much longer the program took for what it did meanwhile
   */
  record Slowdown(
      String set, Configuration configuration, double store, double seconds, double slowdown) {
    /** Seconds of the program's work that a checkpoint cost. */
    double lost() {
      return seconds * Math.max(0, 1 - 1 / slowdown);
    }
  }

  /** Checkpoints one after the other, beside a program with as many threads as there are cores. */
  List<Slowdown> slowdowns(LoadedSet set, double megabytesPerSecond) throws IOException {
    List<Slowdown> all = new ArrayList<>();
    for (Configuration configuration : Configuration.values()) {
      Store store = new ThrottledStore(directory(), megabytesPerSecond * MEGABYTE);
      try (StoreRun run = new StoreRun(set, configuration, threads)) {
        run.checkpoint(store);
        all.add(slowdown(set, run, configuration, megabytesPerSecond, store));
      }
    }
    return all;
  }

  private Slowdown slowdown(
      LoadedSet set, StoreRun run, Configuration configuration, double bandwidth, Store store)
      throws IOException {
    List<Slowdown> all = new ArrayList<>();
    try (Computing computing = new Computing(threads)) {
      for (int round = 0; round < rounds; round++) {
        long before = computing.sweeps();
        double beside = Rounds.time(() -> run.checkpoint(store));
        double rateBeside = (computing.sweeps() - before) / beside;
        before = computing.sweeps();
        double alone = Rounds.time(() -> pause(beside));
        double rateAlone = (computing.sweeps() - before) / alone;
        all.add(new Slowdown(set.name(), configuration, bandwidth, beside, rateAlone / rateBeside));
      }
    }
    return Collections.min(all, Comparator.comparingDouble(Slowdown::lost));
  }

  private static void pause(double seconds) {
    long end = System.nanoTime() + (long) (seconds * 1e9);
    for (long left; (left = end - System.nanoTime()) > 0; ) {
      LockSupport.parkNanos(left);
    }
  }
}
