// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.Optional;
import org.cairn.version.VersionId;

/**
 * What a rank remembers of its flushes, so that the next one has nothing to read: the newest
 * version that all ranks agreed on, and beside it one that they have not agreed on yet. For one
 * thread.
 */
final class FlushMemory {
  private Flushed stable = Flushed.NOTHING;
  private Flushed proposed = Flushed.NOTHING;

  /** What is remembered of the version that a flush is compared with, if that is the one. */
  Optional<Flushed> of(FlushBase base) {
    proposed = Flushed.NOTHING;
    return Optional.of(stable).filter(known -> known.is(base));
  }

  /** This rank has done its part; what the others say is not known yet. */
  void propose(Flushed next) {
    proposed = next;
  }

  void settle(VersionId version) {
    if (proposed.version().filter(version::equals).isPresent()) {
      stable = proposed;
    }
    proposed = Flushed.NOTHING;
  }
}
