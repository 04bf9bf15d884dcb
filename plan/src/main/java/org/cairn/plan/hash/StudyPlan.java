// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.util.List;
import org.cairn.plan.Checks;

/**
 * What is to be studied.
 *
 * @param hashes how blocks are told apart
 * @param changes what happens to them
 * @param blocks their sizes in bytes
 * @param iterations how many blocks of each size are changed in each way, at most
 * @param width to what part of itself each rate above 0 is to be known before that; 0 for no matter
 *     how well
 * @param seed the same one gives the same counts, on any number of threads
 */
public record StudyPlan(
    List<StudiedHash> hashes,
    List<Change> changes,
    List<Integer> blocks,
    long iterations,
    double width,
    long seed) {
  /** Refuses what is empty. */
  public StudyPlan {
    hashes = List.copyOf(hashes);
    changes = List.copyOf(changes);
    blocks = BlockSizes.check(blocks);
    if (hashes.isEmpty()) {
      throw new IllegalArgumentException("there is no hash to study");
    }
    if (changes.isEmpty()) {
      throw new IllegalArgumentException("there is no change to study");
    }
    Checks.some(iterations, "the number of iterations");
    Checks.share(width, "the width of the intervals");
  }
}
