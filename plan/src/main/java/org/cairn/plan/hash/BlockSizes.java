// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.util.List;

/** Which sizes of blocks can be studied. */
public final class BlockSizes {
  /** Two elements: with one alone nothing can be swapped. */
  public static final int LEAST = 16;

  /** As large as figure 7.9 goes, and more. */
  public static final int MOST = 16 << 20;

  private BlockSizes() {}

  /**
   * Refuses none, those that hold no whole number of elements, and those out of reach.
   *
   * @throws IllegalArgumentException which says what is allowed
   */
  public static List<Integer> check(List<Integer> sizes) {
    if (sizes.isEmpty()) {
      throw refuse("there is no block size");
    }
    for (int size : sizes) {
      if (size < LEAST || size > MOST || size % Long.BYTES != 0) {
        throw refuse("a block of " + size + " B cannot be studied");
      }
    }
    return List.copyOf(sizes);
  }

  /** A refusal that says what is allowed. */
  public static IllegalArgumentException refuse(String problem) {
    return new IllegalArgumentException(
        problem
            + "; block sizes are multiples of 8 from %d B to 16 MiB, one by one (128,4KiB) or from"
                .formatted(LEAST)
            + " one to another by powers of two (128..32KiB)");
  }
}
