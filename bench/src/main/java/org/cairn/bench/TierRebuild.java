// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;

/** How long it takes to bring back a rank that lost its directory. */
final class TierRebuild {
  private static final int LOST = 1;

  private final Path folder;
  private final int ranks;
  private final long bytes;
  private final Tiers tiers;
  private final String origin;

  private TierRebuild(Path folder, int ranks, long bytes, Tiers tiers, String origin) {
    this.folder = folder;
    this.ranks = ranks;
    this.bytes = bytes;
    this.tiers = tiers;
    this.origin = origin;
  }

  /**
   * From one tier; all in seconds.
   *
   * @param restart the restart with nothing lost
   * @param rebuild what a restart takes longer if a rank is lost
   * @param redundancy what it takes longer still to restore copies or parity that were lost with it
   * @param copy copying as many bytes from file to file, with force
   * @param ratio of rebuild to copy, median of the rounds
   */
  record Rebuilt(
      String tier, double restart, double rebuild, double redundancy, double copy, double ratio) {}

  /** The same, round by round. */
  record Times(Series restart, Series rebuild, Series redundancy, Series copy) {
    Rebuilt of(String tier) {
      return new Rebuilt(
          tier,
          restart.median(),
          rebuild.median(),
          redundancy.median(),
          copy.median(),
          rebuild.over(copy).median());
    }
  }

  static List<Rebuilt> measure(Path parent, int ranks, long bytes, int rounds) throws IOException {
    Path folder = parent.resolve("rebuild");
    Tiers partner = Tiers.none().partner(1);
    return List.of(
        new TierRebuild(folder, ranks, bytes, partner, "partner").measure(rounds).of("partner"),
        fromParity(parent, ranks, bytes, rounds).of("erasure"));
  }

  /** From parity alone. */
  static Times fromParity(Path parent, int ranks, long bytes, int rounds) throws IOException {
    Tiers erasure = Tiers.none().erasure(1);
    Path folder = parent.resolve("rebuild");
    return new TierRebuild(folder, ranks, bytes, erasure, "erasure").measure(rounds);
  }

  private Times measure(int rounds) throws IOException {
    save();
    Map<String, Series> times =
        new Rounds()
            .add("copy", this::copy)
            .add("restart", () -> restart(Tiers.none(), false))
            .add("rebuild", () -> restart(Tiers.none(), true))
            .add("redundancy", () -> restart(tiers, true))
            .run(0, rounds);
    new TargetsCommand.Scratch(folder).close();
    Series restart = of(times, "restart");
    Series rebuild = of(times, "rebuild").plus(restart.times(-1));
    Series redundancy = of(times, "redundancy").plus(of(times, "rebuild").times(-1));
    return new Times(restart, rebuild, redundancy, of(times, "copy"));
  }

  private static Series of(Map<String, Series> times, String name) {
    Series series = times.get(name);
    if (series == null) {
      throw new AssertionError(name);
    }
    return series;
  }

  private Options options(Tiers chosen) {
    return Options.defaults().threads(1).retain(1).tiers(chosen);
  }

  private void save() {
    Ranks.run(
        ranks,
        rank -> "domain" + rank,
        comm -> {
          try (State state = State.offHeap(bytes, 1);
              Checkpointer cairn = Checkpointer.open(folder, comm, options(tiers))) {
            state.protect(cairn);
            Checkpoint checkpoint = cairn.checkpoint().await();
            checkpoint.tiers().forEach(checkpoint::await);
          }
        });
  }

  private double restart(Tiers chosen, boolean lose) throws IOException {
    if (lose) {
      new TargetsCommand.Scratch(folder.resolve("rank" + LOST)).close();
    }
    double[] seconds = new double[1];
    Ranks.run(
        ranks,
        rank -> "domain" + rank,
        comm -> {
          try (Arena arena = Arena.ofShared();
              Checkpointer cairn = Checkpointer.open(folder, comm, options(chosen))) {
            cairn.protect("field0", arena.allocate(bytes, 4096), ElementType.DOUBLE);
            comm.barrier();
            long start = System.nanoTime();
            RestartReport report = cairn.restart();
            comm.barrier();
            if (comm.rank() == 0) {
              seconds[0] = (System.nanoTime() - start) * 1e-9;
              check(report, lose);
            }
          }
        });
    return seconds[0];
  }

  private void check(RestartReport report, boolean lose) {
    String from = report.origins().get(LOST);
    if (!report.isRestored() || !from.startsWith(lose ? origin : "local")) {
      throw new IllegalStateException("rank " + LOST + " came from " + from);
    }
  }

  private double copy() throws IOException {
    Path from = folder.resolve("rank0").resolve(Checkpointer.containerName(0));
    Path to = folder.resolve("copy");
    try (FileChannel source = FileChannel.open(from);
        FileChannel target =
            FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      return Rounds.time(
          () -> {
            long size = source.size();
            for (long at = 0; at < size; ) {
              at += source.transferTo(at, size - at, target);
            }
            target.force(true);
          });
    } finally {
      Files.deleteIfExists(to);
    }
  }
}
