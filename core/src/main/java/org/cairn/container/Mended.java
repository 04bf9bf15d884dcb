// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.List;

/**
 * What became of places of a container that were found to be bad.
 *
 * @param found what commits came upon on their way, beside what scrubbing finds
 * @param healed what was there is in another place now, for every version that has it
 * @param lost what no good bytes were found for, though versions refer to it
 */
public record Mended(List<String> found, List<String> healed, List<String> lost) {
  /** Copies the lists. */
  public Mended {
    found = List.copyOf(found);
    healed = List.copyOf(healed);
    lost = List.copyOf(lost);
  }

  /** Whether there is nothing to tell. */
  public boolean isEmpty() {
    return found.isEmpty() && healed.isEmpty() && lost.isEmpty();
  }
}
