// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.cairn.Compression;
import org.cairn.bench.aggregate.CheckpointSet;
import org.cairn.bench.aggregate.FrameSpeed;
import org.cairn.bench.aggregate.LoadedSet;
import org.cairn.bench.aggregate.Rivals;

/**
 * How fast frames are encoded and decoded on one core, against gzip and zstd over the same bytes in
 * the same rounds, in time of the processor; and how much two cores help, by the clock. The best of
 * all rounds counts: other work on the machine makes things slower, never faster.
 */
final class AggregateSpeed {
  /** So many times at least are all frames encoded where one core and two are compared. */
  private static final int IN_LINE = 4;

  /** Sets of a few KiB are those of tests. */
  private static final int MOST_IN_LINE = 32;

  /**
   * So long is one core busy where it is compared with two. What is shorter is decided by where a
   * line begins and ends, by compilers, and by whoever else wants the machine for a moment.
   */
  private static final double SECONDS_IN_LINE = 0.5;

  /** Nothing has gone through a line before, so more is to be compiled. */
  private static final int WARMUP_IN_LINE = 2;

  private AggregateSpeed() {}

  /** One line of the table; rates in MB/s. */
  record Speed(
      String set,
      double gzip,
      double fast,
      double small,
      double zstdBack,
      double fastBack,
      double smallBack,
      double ratioOfGzip,
      double twoCores) {
    double timesGzip() {
      return fast / gzip;
    }

    /** Of the slower one. */
    double decodingOfZstd() {
      return Math.min(fastBack, smallBack) / zstdBack;
    }
  }

  static Speed measure(CheckpointSet files, LoadedSet set, int rounds) throws IOException {
    byte[] all = files.concatenated();
    byte[] compressed = Rivals.zstd(all);
    byte[] target = new byte[all.length];
    long gzip = Rivals.gzip(all, all.length);
    try (FrameSpeed fast = new FrameSpeed(set, Compression.fast());
        FrameSpeed small = new FrameSpeed(set, Compression.small())) {
      TransformBandwidth.untilWarm(fast::decode);
      Map<String, Series> times =
          new Rounds()
              .add("gzip", () -> Rounds.ofProcessor(() -> Rivals.gzip(all, all.length)))
              .add("zstd back", () -> Rounds.ofProcessor(() -> Rivals.expand(compressed, target)))
              .add("fast", () -> Rounds.ofProcessor(fast::encode))
              .add("fast back", () -> Rounds.ofProcessor(fast::decode))
              .add("small", () -> Rounds.ofProcessor(small::encode))
              .add("small back", () -> Rounds.ofProcessor(small::decode))
              .run(1, rounds);
      double megabytes = all.length * 1e-6;
      return new Speed(
          set.name(),
          megabytes / best(times, "gzip"),
          megabytes / best(times, "fast"),
          megabytes / best(times, "small"),
          megabytes / best(times, "zstd back"),
          megabytes / best(times, "fast back"),
          megabytes / best(times, "small back"),
          (double) gzip / fast.storedBytes(),
          twoCores(small, best(times, "small"), rounds));
    }
  }

  /** How much faster two cores are than one. */
  private static double twoCores(FrameSpeed speed, double seconds, int rounds) throws IOException {
    int times = Math.clamp((long) Math.ceil(SECONDS_IN_LINE / seconds), IN_LINE, MOST_IN_LINE);
    Map<String, Series> measured =
        new Rounds()
            .addTimed("one core", () -> speed.encodeAlone(times))
            .addTimed("two cores", () -> speed.encodeInLine(2, times))
            .run(WARMUP_IN_LINE, rounds);
    return best(measured, "one core") / best(measured, "two cores");
  }

  private static double best(Map<String, Series> times, String name) {
    return Objects.requireNonNull(times.get(name)).least();
  }
}
