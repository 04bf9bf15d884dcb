// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.cairn.CorruptContainerException;
import org.cairn.tier.shared.SegmentFrames;
import org.cairn.tier.shared.SegmentReader;
import org.cairn.tier.shared.StoredFrame;

/**
 * Compares the checksums of stored frames, and decodes none. Which files have something in a frame
 * is looked up for damaged ones only: there are few, and as a rule none.
 */
final class StoredCheck {
  private final LongConsumer progress;
  private final Map<Place, String> damaged = new LinkedHashMap<>();
  private long done;

  /** A frame, by where it lies. */
  private record Place(String segment, long address) {}

  StoredCheck(LongConsumer progress) {
    this.progress = progress;
  }

  /**
   * Looks at all frames of a segment, and at those of others that files need.
   *
   * @return each damaged frame once for every file that has something in it
   */
  List<Pack.Damage> run(SegmentReader segment, List<Pack.Member> members) throws IOException {
    try (StoredFrame memory = new StoredFrame()) {
      for (SegmentFrames.Frame frame : segment.frames().all()) {
        verify(memory, segment, frame);
      }
      for (NeededFrames.Needed needed : NeededFrames.of(members).all()) {
        if (!needed.segment().name().equals(segment.name())) {
          verify(memory, needed.segment(), needed.frame());
        }
      }
    }
    return damaged.isEmpty() ? List.of() : ofFiles(members);
  }

  private void verify(StoredFrame memory, SegmentReader segment, SegmentFrames.Frame frame)
      throws IOException {
    try {
      memory.verify(segment, frame);
    } catch (CorruptContainerException e) {
      damaged.put(place(segment, frame), String.valueOf(e.getMessage()));
    }
    done += frame.info().storedLength();
    progress.accept(done);
  }

  private static Place place(SegmentReader segment, SegmentFrames.Frame frame) {
    return new Place(segment.name(), frame.address());
  }

  private List<Pack.Damage> ofFiles(List<Pack.Member> members) throws IOException {
    Map<Place, Set<PackName>> files = new LinkedHashMap<>();
    damaged.keySet().forEach(place -> files.put(place, new TreeSet<>()));
    for (Pack.Member member : members) {
      for (NeededFrames.Needed needed : NeededFrames.of(List.of(member)).all()) {
        Set<PackName> names = files.get(place(needed.segment(), needed.frame()));
        if (names != null) {
          names.add(member.file().name());
        }
      }
    }
    List<Pack.Damage> found = new ArrayList<>();
    damaged.forEach(
        (place, what) -> found.addAll(ofFrame(files.getOrDefault(place, Set.of()), what)));
    return found;
  }

  /** A frame that was of a lost file only is of none that is known. */
  private static List<Pack.Damage> ofFrame(Set<PackName> files, String what) {
    return files.isEmpty()
        ? List.of(new Pack.Damage(new PackName("(no file that is known)"), what))
        : files.stream().map(file -> new Pack.Damage(file, what)).toList();
  }
}
