// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.store.Store;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;

/**
 * What a rank has in a version that was flushed, as the next flush needs it.
 *
 * @param version empty if nothing was flushed
 * @param token of the flush
 * @param index where its blocks lie
 * @param chain the indices in the directory that say so
 * @param references the segments that these two name
 * @param verification when blocks in older segments were verified
 */
record Flushed(
    Optional<VersionId> version,
    int token,
    IndexMemory index,
    Chain chain,
    Map<String, Reference> references,
    Verification verification) {
  static final Flushed NOTHING =
      new Flushed(
          Optional.empty(), 0, IndexMemory.EMPTY, Chain.NONE, Map.of(), Verification.never());

  /** Copies the map. */
  Flushed {
    references = Map.copyOf(references);
  }

  /** Whether a flush is to be compared with this. */
  boolean is(FlushBase base) {
    return version.isPresent() && version.equals(base.version()) && token == base.versionToken();
  }

  /** The same, now that what the flush itself wrote is finished. */
  Flushed with(List<Reference> finished) {
    Map<String, Reference> all = new HashMap<>(references);
    finished.forEach(one -> all.replace(one.segment(), one));
    return new Flushed(version, token, index, chain, all, verification);
  }

  /** Reads it from the directory, through all links. */
  static Flushed read(Store shared, VersionId version, int rank) throws IOException {
    // Whether all segments are there was looked at by rank 0, for all.
    Manifest manifest = Manifest.read(shared, SharedNames.manifest(version));
    String own = manifest.groupOf(rank).segment();
    try (OpenSegments segments = new OpenSegments(shared, manifest.references())) {
      MemberChain.Resolved read = MemberChain.read(segments, own, rank, manifest.rootOf(rank));
      MemberIndex index = read.state().index();
      return new Flushed(
          Optional.of(version),
          SharedNames.segment(own).orElseThrow().token(),
          memory(read.state(), segments),
          read.chain(),
          Reference.byName(manifest.references()),
          index.verification().orElseGet(Verification::never));
    }
  }

  private static IndexMemory memory(MemberState state, OpenSegments segments) throws IOException {
    MemberIndex index = state.index();
    IndexMemory.Editor editor = IndexMemory.EMPTY.edit(state.head().datasets());
    for (String name : index.segmentsWithFrames()) {
      SegmentReader segment = segments.open(name);
      editor.frames(name, FrameShares.found(segment.frames(), segment.ranks().size()));
    }
    RunCursor runs = new RunCursor(index);
    int number = 0;
    for (DatasetEntry dataset : state.head().datasets()) {
      int block = 0;
      while (block < dataset.blocks()) {
        int some = Math.min(runs.sameFrom(number), dataset.blocks() - block);
        if (runs.run().isZeros()) {
          editor.putZeros(dataset, block, some);
        } else {
          put(editor, dataset, block, some, runs.run(), runs.inRun(number), index);
        }
        block += some;
        number += some;
      }
    }
    return editor.build();
  }

  private static void put(
      IndexMemory.Editor editor,
      DatasetEntry dataset,
      int first,
      int count,
      Run run,
      int inRun,
      MemberIndex index) {
    String segment = index.segments().get(run.segment());
    for (int i = 0; i < count; i++) {
      int at = inRun + i;
      editor.put(
          dataset,
          first + i,
          segment,
          run.offset() + run.start(at),
          (int) (run.start(at + 1) - run.start(at)),
          run.codec(),
          run.digests()[2 * at],
          run.digests()[2 * at + 1]);
    }
  }
}
