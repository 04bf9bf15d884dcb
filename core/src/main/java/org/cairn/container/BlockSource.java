// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Somewhere else where the bytes of a block may be that a container has lost. */
@FunctionalInterface
public interface BlockSource {
  /** Nowhere. */
  BlockSource NONE = bad -> Optional.empty();

  /**
   * Looks for the bytes of a block, before coding; valid until the next call. They are verified by
   * whoever asks.
   */
  Optional<MemorySegment> find(BadBlock bad);
}
