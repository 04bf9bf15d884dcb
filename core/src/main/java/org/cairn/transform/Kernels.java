// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import org.jspecify.annotations.Nullable;

/** The kernels of a path; they serve any number of threads. */
final class Kernels {
  private static final LongKernel PLAIN_LONGS = new PlainLongs();
  private static final IntKernel PLAIN_INTS = new PlainInts();

  private static final class Chosen {
    static final Kernels KERNELS = of(TransformPath.current());
  }

  private final LongKernel longs;
  private final IntKernel ints;
  private final @Nullable VectorPairs pairs;
  private final @Nullable VectorRecords records;
  private final @Nullable Warmup warmup;

  private Kernels(
      LongKernel longs,
      IntKernel ints,
      @Nullable VectorPairs pairs,
      @Nullable VectorRecords records,
      @Nullable Warmup warmup) {
    this.longs = longs;
    this.ints = ints;
    this.pairs = pairs;
    this.records = records;
    this.warmup = warmup;
  }

  /** The kernels of the path chosen for this run. */
  static Kernels chosen() {
    return Chosen.KERNELS;
  }

  /** The kernels of a path, which may only be a vector one where the Vector API is present. */
  static Kernels of(TransformPath path) {
    if (!path.vector()) {
      return new Kernels(PLAIN_LONGS, PLAIN_INTS, null, null, null);
    }
    LongKernel longs = new VectorLongs();
    IntKernel ints = new VectorInts();
    VectorPairs pairs = new VectorPairs();
    VectorRecords records = VectorRecords.arePresent() ? new VectorRecords() : null;
    Warmup warmup = path.forced() ? null : new Warmup(longs, ints, pairs, records);
    return new Kernels(longs, ints, pairs, records, warmup);
  }

  LongKernel longs() {
    return warmup == null || warmup.isWarm() ? longs : PLAIN_LONGS;
  }

  IntKernel ints() {
    return warmup == null || warmup.isWarm() ? ints : PLAIN_INTS;
  }

  /** Those of elements of two bytes; nothing if there are no vectors, or not yet. */
  @Nullable VectorPairs pairs() {
    return warmup == null || warmup.isWarm() ? pairs : null;
  }

  /** Those of records; nothing if there are no vectors for them, or not yet. */
  @Nullable VectorRecords records() {
    return warmup == null || warmup.isWarm() ? records : null;
  }

  /** Whether others will soon take the place of those that are in use. */
  boolean areWarming() {
    return warmup != null && warmup.isWarming();
  }

  /** Takes note that so many bytes are about to be transformed. */
  void count(long bytes) {
    if (warmup != null) {
      warmup.count(bytes);
    }
  }
}
