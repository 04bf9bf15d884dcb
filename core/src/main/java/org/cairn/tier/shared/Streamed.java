// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.container.VersionView;
import org.cairn.version.VersionId;

/**
 * What is known of a flush after all blocks of a rank were written. What the index says is known
 * when others have told where these blocks begin.
 *
 * @param view the version, at least as far as it changed
 * @param before what was flushed before
 * @param token that of the flush
 * @param index where all blocks lie, once it is known where the new ones begin
 * @param mine all blocks that lie elsewhere than before
 * @param verified what was verified on the way
 * @param segment where blocks were written to
 * @param bytes how many bytes of blocks this rank has added
 */
record Streamed(
    int rank,
    VersionView view,
    Flushed before,
    int token,
    IndexMemory.Editor index,
    Changes mine,
    Staying.Verified verified,
    String segment,
    long bytes) {

  private VersionId version() {
    return view.info().id();
  }

  /** What was verified on the way; empty if nothing was due. */
  Optional<ScrubReport> scrubbed() {
    return verified
        .scrub()
        .map(scrub -> scrub.report(version(), rank, verified.verification().oldest()));
  }

  /**
   * What this rank has in the end.
   *
   * @param apart an index that does not go to the segment, but to the file beside it
   * @param references the segments that it needs, and how many bytes there
   * @param next what the next flush can go on from, once the segment has been finished
   */
  record Outcome(
      MemberIndex index, Optional<MemberIndex> apart, List<Reference> references, Flushed next) {

    /** How many bytes of blocks it needs in a segment. */
    long bytesIn(String segment) {
      return next.index().live().getOrDefault(segment, 0L);
    }
  }

  /**
   * The index of what was written.
   *
   * @param start where the first of the new blocks lies in the segment
   */
  Outcome outcome(long start) throws IOException {
    IndexMemory now = index.build(segment, start);
    SharedNames.Segment own =
        SharedNames.segment(segment).orElseThrow(() -> new IOException(segment + " is no segment"));
    NextIndex.Made made =
        new NextIndex(rank, own, before, mine, now, verified.linkable())
            .make(view, verified.verification());
    Flushed flushed =
        new Flushed(
            Optional.of(version()),
            token,
            now,
            made.chain(),
            Reference.byName(made.references()),
            verified.verification());
    return new Outcome(made.index(), made.apart(), made.references(), flushed);
  }
}
