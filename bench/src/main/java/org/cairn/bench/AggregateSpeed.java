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
  private static final int IN_LINE = 4;

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
              .addTimed("one core", () -> small.encodeAlone(IN_LINE))
              .addTimed("two cores", () -> small.encodeInLine(2, IN_LINE))
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
          best(times, "one core") / best(times, "two cores"));
    }
  }

  private static double best(Map<String, Series> times, String name) {
    return Objects.requireNonNull(times.get(name)).least();
  }
}
