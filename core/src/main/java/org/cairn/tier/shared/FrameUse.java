// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.cairn.frame.Effort;
import org.cairn.store.Store;
import org.cairn.version.VersionId;

/**
 * What a restart of all ranks reads of the frames in which a version lies, each of them once.
 *
 * @param frames how many are read
 * @param plain how many bytes are in them
 * @param stored how many bytes they take
 * @param live how many of the bytes in them the version needs; what several ranks have counts once
 *     as far as it fills the frame
 * @param efforts how hard they were compressed, and why, as far as that was told
 */
public record FrameUse(
    long frames, long plain, long stored, long live, List<Effort.Count> efforts) {

  /** How many times more is read than is needed. */
  public double amplification() {
    return (double) plain / Math.max(1, live);
  }

  /**
   * Looks at a version.
   *
   * @return empty if it has no frames
   * @throws IOException if it is not there, or its indices cannot be read
   */
  public static Optional<FrameUse> of(Store shared, VersionId version) throws IOException {
    Manifest manifest = new SharedDirectory(shared).find(version);
    if (manifest.references().stream().noneMatch(one -> one.frameBytes() > 0)) {
      return Optional.empty();
    }
    Map<String, long[]> live = new TreeMap<>();
    try (OpenSegments segments = new OpenSegments(shared, manifest.references())) {
      for (int rank = 0; rank < version.ranks(); rank++) {
        String own = manifest.groupOf(rank).segment();
        count(
            MemberChain.read(segments, own, rank, manifest.rootOf(rank)).state().index(),
            segments,
            live);
      }
      return Optional.of(sum(segments, live));
    }
  }

  private static void count(MemberIndex index, OpenSegments segments, Map<String, long[]> live)
      throws IOException {
    for (Run run : index.runs()) {
      if (run.isStored() && SegmentFormat.isFramed(run.codec())) {
        String name = index.segments().get(run.segment());
        SegmentReader segment = segments.open(name);
        List<SegmentFrames.Frame> all = segment.frames().all();
        long[] bytes = live.computeIfAbsent(name, _ -> new long[all.size()]);
        for (int i = 0; i < run.count(); i++) {
          SegmentFrames.Frame frame = segment.frames().of(segment.location(), run.entry(i));
          bytes[segment.frames().indexOf(frame)] += run.entry(i).storedLength();
        }
      }
    }
  }

  private static FrameUse sum(OpenSegments segments, Map<String, long[]> live) throws IOException {
    long frames = 0;
    long plain = 0;
    long stored = 0;
    long needed = 0;
    List<Effort> efforts = new ArrayList<>();
    for (Map.Entry<String, long[]> one : live.entrySet()) {
      List<SegmentFrames.Frame> all = segments.open(one.getKey()).frames().all();
      for (int i = 0; i < all.size(); i++) {
        if (one.getValue()[i] > 0) {
          SegmentFrames.Frame frame = all.get(i);
          frames++;
          plain += frame.info().plainLength();
          stored += frame.info().storedLength();
          needed += Math.min(frame.info().plainLength(), one.getValue()[i]);
          frame.effort().ifPresent(efforts::add);
        }
      }
    }
    return new FrameUse(frames, plain, stored, needed, Effort.count(efforts));
  }
}
