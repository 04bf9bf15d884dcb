// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.List;
import java.util.Locale;
import org.cairn.HashAlgorithm;

/**
 * One combination of a sweep, measured.
 *
 * @param asynchronous whether the program waits for copies only; if so, seconds are what it waits
 * @param algorithm how blocks are hashed
 * @param blockSize bytes a block
 * @param scattered whether changes are made at random places, else in one run per dataset
 * @param fraction how much of the state is changed, in units of 16 KiB
 * @param seconds what a differential checkpoint takes
 * @param fullSeconds what a full checkpoint takes, measured next to each
 * @param dirtyRate how much of the state is in blocks that changed
 * @param hashShare time of hashing / time until durable; phases overlap
 * @param writeShare time of writing and forcing / time until durable
 * @param mapBytes memory for digests and maps
 */
record Cell(
    boolean asynchronous,
    HashAlgorithm algorithm,
    int blockSize,
    boolean scattered,
    double fraction,
    Series seconds,
    Series fullSeconds,
    double dirtyRate,
    double hashShare,
    double writeShare,
    long mapBytes) {

  /** The head of {@link #csv}. */
  static final List<String> COLUMNS =
      List.of(
          "mode",
          "algorithm",
          "block_bytes",
          "pattern",
          "changed_percent",
          "seconds",
          "seconds_spread",
          "full_seconds",
          "full_seconds_spread",
          "change_percent",
          "change_percent_spread",
          "dcp_rate_percent",
          "share_hash_percent",
          "share_write_percent",
          "map_bytes");

  /** The relative change against a full checkpoint, in percent: τ, or ΔT / T0. Negative is gain. */
  Series change() {
    Series ratio = seconds.over(fullSeconds);
    double[] percent = new double[ratio.values().length];
    for (int i = 0; i < percent.length; i++) {
      percent[i] = 100 * (ratio.values()[i] - 1);
    }
    return new Series(percent);
  }

  String mode() {
    return asynchronous ? "async" : "sync";
  }

  String pattern() {
    return scattered ? "random" : "contiguous";
  }

  /** A line of comma-separated values. */
  String csv() {
    return String.join(
        ",",
        mode(),
        algorithm.label(),
        String.valueOf(blockSize),
        pattern(),
        decimal(100 * fraction),
        decimal(seconds.median()),
        decimal(seconds.spread()),
        decimal(fullSeconds.median()),
        decimal(fullSeconds.spread()),
        decimal(change().median()),
        decimal(change().spread()),
        decimal(100 * dirtyRate),
        decimal(100 * hashShare),
        decimal(100 * writeShare),
        String.valueOf(mapBytes));
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.6f", value);
  }
}
