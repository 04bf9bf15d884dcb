// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.store.Store;
import org.cairn.version.DatasetEntry;
import org.jspecify.annotations.Nullable;

/** The blocks that a flush leaves where they are: a piece of them is verified on the way. */
final class Staying {
  private final Store shared;
  private final Clock clock;
  private final Flushed before;

  /** The blocks that are written now. */
  private final Changes written;

  private final long begun;

  /**
   * What was verified beside a flush.
   *
   * @param verification how far the round has come with it
   * @param linkable whether indices that were written before can be built upon
   * @param scrub what was done; empty if nothing was due
   */
  record Verified(Verification verification, boolean linkable, Optional<Scrub> scrub) {
    static Verified nothing(Verification verification) {
      return new Verified(verification, true, Optional.empty());
    }
  }

  Staying(Store shared, Clock clock, Flushed before, Changes written) {
    this.shared = shared;
    this.clock = clock;
    this.before = before;
    this.written = written;
    this.begun = clock.nanos();
  }

  /**
   * Verifies a piece of what stays, if that is due, for not longer than it took to write what is
   * new, and once in a round the indices that the next one would build upon.
   *
   * @param mender writes blocks again that are damaged
   */
  Verified verify(
      int rank, Verification verification, Iterable<DatasetEntry> datasets, Scrub.Mender mender)
      throws IOException {
    if (!verification.isDue(clock.now())) {
      return Verified.nothing(verification);
    }
    long nanos = clock.nanos() - begun;
    Scrub piece = new Scrub(shared, clock, before.references().values(), verification, nanos);
    boolean linkable = !verification.isStartOfRound() || piece.check(before.chain(), rank);
    Verification after = piece.run(datasets, this::find, mender);
    return new Verified(after, linkable, Optional.of(piece));
  }

  /** Where a block lies that was not written now; null if it was, or nothing is stored of it. */
  private Scrub.@Nullable Place find(DatasetEntry dataset, int block) {
    IndexMemory known = before.index();
    if (block >= known.comparable(dataset)
        || known.places(dataset).isZero(block)
        || written.of(dataset.name()).contains(block)) {
      return null;
    }
    BlockEntry entry = known.entry(dataset, block);
    return new Scrub.Place(known.segment(entry.segment()), entry);
  }
}
