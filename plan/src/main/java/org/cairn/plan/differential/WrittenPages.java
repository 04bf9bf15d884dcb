// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.differential;

import org.cairn.plan.Checks;

/**
 * What a program did to its state between two checkpoints, as pages and as hashes see it (chapter 7
 * of Ferreira 2011): first pages that were written to are found, then blocks in them that have
 * really changed.
 *
 * @param written what part of the state lies in pages that were written to
 * @param dirty what part of the state lies in blocks that have changed
 */
public record WrittenPages(double written, double dirty) {
  /** Refuses what is not a part, and changes without writing. */
  public WrittenPages {
    Checks.share(written, "the written part");
    Checks.share(dirty, "the dirty part");
    if (dirty > written) {
      throw new IllegalArgumentException(
          "the dirty part, %s, is more than the written part, %s; what has changed was written to"
              .formatted(dirty, written));
    }
  }

  /** What part of the written pages the hashes find unchanged. */
  public double compression() {
    return written == 0 ? 0 : 1 - dirty / written;
  }

  /** T_write whole of equation 7.1: seconds that writing all written pages takes, per byte. */
  public double secondsByPages(double writeRate) {
    return written / Checks.positive(writeRate, "the writing rate");
  }

  /** T_hash + T_write hash of equation 7.1: of the written pages what has changed, per byte. */
  public double secondsByHashes(double hashRate, double writeRate) {
    return written / Checks.positive(hashRate, "the hashing rate")
        + dirty / Checks.positive(writeRate, "the writing rate");
  }

  /** When hashing pays, equation 7.3. */
  public Viability viability(double hashRate) {
    return new Viability(hashRate, compression());
  }
}
