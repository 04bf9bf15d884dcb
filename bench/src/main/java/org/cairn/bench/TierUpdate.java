// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;

/** How long it takes until a version is at a tier that bears the loss of a node. */
final class TierUpdate {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final double[] SHARES = {1, 0.03};
  private static final int WARM_UP = 2;

  private final Path folder;
  private final int ranks;
  private final long bytes;
  private final int rounds;

  private TierUpdate(Path folder, int ranks, long bytes, int rounds) {
    this.folder = folder;
    this.ranks = ranks;
    this.bytes = bytes;
    this.rounds = rounds;
  }

  /**
   * One tier and one part of the state; medians of the rounds, in seconds.
   *
   * @param changed the part of the blocks that changed
   * @param seconds from the call until all ranks have the version at the tier
   * @param processor what the process took of its cores meanwhile
   * @param raw writing as many bytes into one file that has room for them, with force
   * @param ratio of the first to the last, median of the rounds
   */
  record Updated(
      String tier, double changed, double seconds, double processor, double raw, double ratio) {}

  /** The same, round by round. */
  record Times(double changed, Series seconds, Series processor, Series raw) {
    Updated of(String tier) {
      return new Updated(
          tier,
          changed,
          seconds.median(),
          processor.median(),
          raw.median(),
          seconds.over(raw).median());
    }
  }

  /** What is measured in one round. */
  private record Round(double seconds, double processor, double raw) {}

  /** Parity alone, first of a state that changed as a whole. */
  static List<Times> ofParity(Path parent, int ranks, long bytes, int rounds) throws IOException {
    TierUpdate update = new TierUpdate(parent.resolve("update"), ranks, bytes, rounds);
    return update.measure(Tiers.none().erasure(1).group(ranks, 1));
  }

  static List<Updated> measure(Path parent, int ranks, long bytes, int rounds) throws IOException {
    TierUpdate update = new TierUpdate(parent.resolve("update"), ranks, bytes, rounds);
    List<Updated> all = new ArrayList<>();
    update.measure(Tiers.none()).forEach(times -> all.add(times.of("local")));
    update.measure(Tiers.none().partner(1)).forEach(times -> all.add(times.of("partner")));
    ofParity(parent, ranks, bytes, rounds).forEach(times -> all.add(times.of("erasure")));
    return all;
  }

  private List<Times> measure(Tiers tiers) throws IOException {
    List<List<Round>> measured = new ArrayList<>();
    for (int i = 0; i < SHARES.length; i++) {
      measured.add(new ArrayList<>());
    }
    Options options = Options.defaults().threads(1).tiers(tiers).strategy(Strategy.DIFFERENTIAL);
    Ranks.run(
        ranks,
        rank -> "domain" + rank,
        comm -> {
          try (State state = State.offHeap(bytes, 1);
              RawFile raw = new RawFile(folder.resolveSibling("raw" + comm.rank()), state, bytes);
              Checkpointer cairn = Checkpointer.open(folder, comm, options)) {
            state.protect(cairn);
            reach(cairn.checkpoint());
            for (int round = -WARM_UP; round < rounds; round++) {
              for (int i = 0; i < SHARES.length; i++) {
                long changed = state.change(SHARES[i], true, 8);
                comm.barrier();
                double written = comm.rank() == 0 ? Rounds.time(() -> raw.overwrite(changed)) : 0;
                comm.barrier();
                long processor = PROCESS.getProcessCpuTime();
                double seconds =
                    Rounds.time(
                        () -> {
                          reach(cairn.checkpoint());
                          comm.barrier();
                        });
                if (comm.rank() == 0 && round >= 0) {
                  double used = (PROCESS.getProcessCpuTime() - processor) * 1e-9;
                  measured.get(i).add(new Round(seconds, used, written));
                }
              }
            }
          }
        });
    new TargetsCommand.Scratch(folder).close();
    List<Times> all = new ArrayList<>();
    for (int i = 0; i < SHARES.length; i++) {
      all.add(
          new Times(
              SHARES[i],
              series(measured.get(i), Round::seconds),
              series(measured.get(i), Round::processor),
              series(measured.get(i), Round::raw)));
    }
    return all;
  }

  private static Series series(List<Round> rounds, ToDoubleFunction<Round> what) {
    return new Series(rounds.stream().mapToDouble(what).toArray());
  }

  private static void reach(Checkpoint checkpoint) {
    checkpoint.await();
    for (TierKind tier : checkpoint.tiers()) {
      checkpoint.await(tier);
    }
  }
}
