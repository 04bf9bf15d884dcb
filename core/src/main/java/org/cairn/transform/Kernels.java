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
  private final @Nullable Warmup warmup;

  private Kernels(LongKernel longs, IntKernel ints, @Nullable Warmup warmup) {
    this.longs = longs;
    this.ints = ints;
    this.warmup = warmup;
  }

  /** The kernels of the path chosen for this run. */
  static Kernels chosen() {
    return Chosen.KERNELS;
  }

  /** The kernels of a path, which may only be a vector one where the Vector API is present. */
  static Kernels of(TransformPath path) {
    if (!path.vector()) {
      return new Kernels(PLAIN_LONGS, PLAIN_INTS, null);
    }
    LongKernel longs = new VectorLongs();
    IntKernel ints = new VectorInts();
    return new Kernels(longs, ints, path.forced() ? null : new Warmup(longs, ints));
  }

  LongKernel longs() {
    return warmup == null || warmup.isWarm() ? longs : PLAIN_LONGS;
  }

  IntKernel ints() {
    return warmup == null || warmup.isWarm() ? ints : PLAIN_INTS;
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
