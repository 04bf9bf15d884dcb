// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

/**
 * How fast a dataset is hashed, from checkpoints that hashed much of it: few blocks that were just
 * written are still in the cache and say nothing of the rest. The fastest counts, since a process
 * that is cold and a machine that is busy are slow for a while; it may be forgotten bit by bit.
 */
final class HashRate {
  private static final long MUCH = 32L << 20;
  private static final double FORGETTING = 1.05;

  private double nanosPerByte = Double.NaN;

  /**
   * A checkpoint was taken.
   *
   * @param hashed how many bytes it hashed
   * @param all how many there are
   */
  void observe(long hashed, double nanos, long all) {
    if (hashed > 0 && (hashed >= all / 2 || hashed >= MUCH)) {
      double now = nanos / hashed;
      nanosPerByte = Double.isNaN(nanosPerByte) ? now : Math.min(nanosPerByte * FORGETTING, now);
    }
  }

  boolean isKnown() {
    return !Double.isNaN(nanosPerByte);
  }

  double nanosPerByte() {
    return nanosPerByte;
  }
}
