// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.cairn.clock.Clock;
import org.cairn.record.FirstFew;
import org.cairn.store.Store;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * Reads and verifies one piece of the blocks that a version has in older segments: that which was
 * not verified for the longest time; and, once in a round, the indices that say where they are.
 * Storage loses bits without telling; found while the state is still at hand, they can be written
 * again.
 *
 * <p>Takes not longer than it is given, but always does at least one stretch of blocks; a piece
 * that is not finished is gone on with beside the next flush. Within a stretch blocks are read in
 * the order of where they lie: those of a frame together, which is then decoded once.
 */
final class Scrub {
  private final Store shared;
  private final Clock clock;
  private final Collection<Reference> references;
  private final Verification before;
  private final long nanos;
  private final FirstFew<String> damages = new FirstFew<>();
  private long verified;

  /** Writes a block again. */
  interface Mender {
    void mend(DatasetEntry dataset, int block) throws IOException;
  }

  /** A block in an older segment. */
  record Place(String segment, BlockEntry entry) {}

  /** Knows where blocks lie. */
  interface Places {
    /** Null if the block is not in an older segment. */
    @Nullable Place find(DatasetEntry dataset, int block);
  }

  Scrub(
      Store shared,
      Clock clock,
      Collection<Reference> references,
      Verification before,
      long nanos) {
    this.shared = shared;
    this.clock = clock;
    this.references = references;
    this.before = before;
    this.nanos = nanos;
  }

  /**
   * Verifies.
   *
   * @return what has been verified after this
   */
  Verification run(Iterable<DatasetEntry> datasets, Places places, Mender mender)
      throws IOException {
    long start = clock.nanos();
    Instant now = clock.now();
    int piece = before.next();
    int number = 0;
    boolean some = false;
    try (OpenSegments segments = new OpenSegments(shared, references);
        BlockVerifier verifier = new BlockVerifier()) {
      for (DatasetEntry dataset : datasets) {
        int hash = Verification.hash(dataset.name());
        for (int first = 0; first < dataset.blocks(); first += Verification.STRETCH) {
          int at = number + first;
          if (at < before.cursor() || Verification.pieceOf(hash, first) != piece) {
            continue;
          }
          List<Found> stretch = stretch(dataset, first, places);
          if (some && !stretch.isEmpty() && clock.nanos() - start >= nanos) {
            return before.interrupted(at, now);
          }
          some |= !stretch.isEmpty();
          verify(dataset, stretch, segments, verifier, mender);
        }
        number += dataset.blocks();
      }
    }
    return before.done(now);
  }

  /** A block, and where it lies. */
  private record Found(int block, Place place) {}

  private static List<Found> stretch(DatasetEntry dataset, int first, Places places) {
    List<Found> found = new ArrayList<>();
    int end = Math.min(dataset.blocks(), first + Verification.STRETCH);
    for (int block = first; block < end; block++) {
      Place place = places.find(dataset, block);
      if (place != null) {
        found.add(new Found(block, place));
      }
    }
    return found;
  }

  private void verify(
      DatasetEntry dataset,
      List<Found> stretch,
      OpenSegments segments,
      BlockVerifier verifier,
      Mender mender)
      throws IOException {
    stretch.sort(
        Comparator.comparing((Found one) -> one.place.segment())
            .thenComparingLong(one -> one.place.entry().offset()));
    BitSet damaged = new BitSet();
    for (Found one : stretch) {
      verified++;
      if (isDamaged(dataset, one.block, one.place, segments, verifier)) {
        damaged.set(one.block);
      }
    }
    for (int block = damaged.nextSetBit(0); block >= 0; block = damaged.nextSetBit(block + 1)) {
      mender.mend(dataset, block);
    }
  }

  private boolean isDamaged(
      DatasetEntry dataset, int block, Place place, OpenSegments segments, BlockVerifier verifier) {
    try {
      verifier.read(segments.open(place.segment()), dataset, block, place.entry());
      return false;
    } catch (IOException e) {
      damages.add(String.valueOf(e.getMessage()));
      return true;
    }
  }

  /** Whether the indices of a rank can be read; the next one builds upon them. */
  boolean check(Chain chain, int rank) throws IOException {
    boolean good = true;
    try (OpenSegments segments = new OpenSegments(shared, references)) {
      for (Chain.Step step : chain.steps()) {
        try {
          segments.open(step.segment()).member(rank, step.checksum());
        } catch (IOException | IllegalArgumentException e) {
          damages.add(String.valueOf(e.getMessage()));
          good = false;
        }
      }
    }
    return good;
  }

  ScrubReport report(VersionId version, int rank, Instant oldest) {
    return new ScrubReport(version, rank, verified, damages.lines(what -> what), oldest);
  }
}
