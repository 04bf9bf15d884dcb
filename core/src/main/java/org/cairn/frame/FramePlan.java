// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How a frame is to be encoded.
 *
 * @param effort its level, and why
 * @param pieces with their transforms
 * @param classes for each class in the frame what is expected of it
 */
public record FramePlan(Effort effort, List<Piece> pieces, Map<String, Expected> classes) {
  /**
   * What is expected of a class.
   *
   * @param bytes how many of the frame's are its
   */
  public record Expected(Choice.Estimate estimate, long bytes) {
    double storedBytes() {
      return estimate.stored() * bytes;
    }
  }

  /** The level of zstd; {@link FrameEncoder#NO_LEVEL} for none. */
  public int level() {
    return effort.level();
  }

  /** How many times smaller it is expected to become. */
  private double ratio() {
    double bytes = classes.values().stream().mapToDouble(Expected::bytes).sum();
    double stored = classes.values().stream().mapToDouble(Expected::storedBytes).sum();
    return bytes / Math.max(1, stored);
  }

  @Override
  public String toString() {
    return level() == FrameEncoder.NO_LEVEL
        ? effort.toString()
        : String.format(Locale.ROOT, "%s, ratio %.2f expected", effort, ratio());
  }
}
