// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.util.List;
import java.util.Map;

/**
 * How a frame is to be encoded.
 *
 * @param level of zstd; {@link FrameEncoder#NO_LEVEL} for none
 * @param pieces with their transforms
 * @param classes for each class in the frame what is expected of it
 * @param reason in words, for people
 */
public record FramePlan(
    int level, List<Piece> pieces, Map<String, Expected> classes, String reason) {
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

  @Override
  public String toString() {
    return "level %d (%s)".formatted(level, reason);
  }
}
