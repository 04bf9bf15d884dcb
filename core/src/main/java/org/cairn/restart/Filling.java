// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.cairn.DatasetMismatchException;
import org.cairn.ElementType;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetSpec;

/**
 * A dataset that is being filled. What is converted is read aside first, verified as everything
 * else, and converted when all blocks are known to be good: an element may lie in two blocks.
 *
 * @param match what is filled, and from what
 * @param target the memory of the program
 * @param saved memory for what was saved, as it was saved; the target itself unless it is converted
 */
record Filling(Match match, MemorySegment target, MemorySegment saved) {
  /**
   * Takes memory for what was saved.
   *
   * @param aside where it comes from if the target cannot be filled as it is
   */
  static Filling of(Match match, Workspace aside) {
    MemorySegment target = match.dataset().target(match.offered());
    long bytes = match.entry().spec().byteLength();
    return new Filling(match, target, match.converts() ? aside.allocate(bytes) : target);
  }

  /**
   * All blocks are there: converts them, where that is to be done.
   *
   * @throws DatasetMismatchException if a number is too large for what it is to become; the dataset
   *     is unchanged
   */
  void convert() {
    if (!match.converts()) {
      return;
    }
    long elements = DatasetSpec.elements(match.offered().shape());
    if (match.offered().type() == ElementType.DOUBLE) {
      widen(elements);
    } else {
      refuseTooLarge(elements);
      narrow(elements);
    }
  }

  private void widen(long elements) {
    for (long i = 0; i < elements; i++) {
      float value = saved.get(ValueLayout.JAVA_FLOAT_UNALIGNED, i * Float.BYTES);
      target.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES, value);
    }
  }

  /** A state that was finite does not become infinite in silence. */
  private void refuseTooLarge(long elements) {
    for (long i = 0; i < elements; i++) {
      double value = saved.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES);
      if (Float.isInfinite((float) value) && !Double.isInfinite(value)) {
        throw new DatasetMismatchException(
            match.dataset().name(),
            "%s as element %d".formatted(value, i),
            "float",
            "it is too large for a float; protect it as double");
      }
    }
  }

  private void narrow(long elements) {
    for (long i = 0; i < elements; i++) {
      double value = saved.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES);
      target.set(ValueLayout.JAVA_FLOAT_UNALIGNED, i * Float.BYTES, (float) value);
    }
  }
}
