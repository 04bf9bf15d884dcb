// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

/**
 * How fast a dataset is hashed, from checkpoints that hashed most of it: blocks that were just
 * written, however many, are still in a cache and say nothing of the rest. The fastest counts,
 * since a process that is cold and a machine that is busy are slow for a while; it may be forgotten
 * bit by bit.
 */
final class HashRate {
  private static final double FORGETTING = 1.05;

  /** How much slower the first checkpoint of a process hashes, at the most that was seen. */
  private static final double COLD = 4;

  private double nanosPerByte = Double.NaN;
  private int times;

  /**
   * A checkpoint was taken.
   *
   * @param hashed how many bytes it hashed
   * @param all how many there are
   */
  void observe(long hashed, double nanos, long all) {
    if (hashed > 0 && hashed >= all / 2) {
      double now = nanos / hashed;
      nanosPerByte = Double.isNaN(nanosPerByte) ? now : Math.min(nanosPerByte * FORGETTING, now);
      times++;
    }
  }

  boolean isKnown() {
    return !Double.isNaN(nanosPerByte);
  }

  double nanosPerByte() {
    return nanosPerByte;
  }

  /** What it may come to when the process is warm: one measure may be of one that was not. */
  double leastNanosPerByte() {
    return times > 1 ? nanosPerByte : nanosPerByte / COLD;
  }
}
