// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.lang.foreign.MemorySegment;
import org.cairn.DatasetMismatchException;
import org.cairn.dataset.Retyping;
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
    Retyping retyping = new Retyping(match.dataset().name(), match.offered().type());
    retyping.refuseTooLarge(saved, 0, elements);
    retyping.convert(saved, target, 0, elements);
  }
}
