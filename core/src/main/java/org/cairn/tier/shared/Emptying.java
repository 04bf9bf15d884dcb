// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Chooses the segments that the next flush empties, by writing what is needed of them again: those
 * that are mostly dead, for their space; and where there are many, the smallest, since each of them
 * is named by every version and looked at by every flush. A block is written again for that
 * whenever there are {@value #MOST} more segments of about the size of its own: seldom.
 */
final class Emptying {
  /** A segment of which less than this part is needed is emptied. */
  private static final double LEAST_LIVE = 0.5;

  /** If a version needs more segments of a group than this, half of them are emptied. */
  private static final int MOST = 16;

  private Emptying() {}

  /** The segments that nothing should be left in after a flush that goes on from this version. */
  static Set<String> of(Manifest newest) {
    Set<String> emptied = new HashSet<>();
    Map<Integer, List<Reference>> groups = new HashMap<>();
    for (Reference one : newest.references()) {
      if (SharedNames.isOfIndices(one.segment())) {
        continue; // no block lies there
      }
      if (one.livePart() < LEAST_LIVE) {
        emptied.add(one.segment());
      } else {
        groups.computeIfAbsent(group(one), _ -> new ArrayList<>()).add(one);
      }
    }
    for (List<Reference> segments : groups.values()) {
      if (segments.size() > MOST) {
        segments.stream()
            .sorted(
                Comparator.comparingLong(Reference::liveBytes).thenComparing(Reference::segment))
            .limit(segments.size() - MOST / 2)
            .forEach(one -> emptied.add(one.segment()));
      }
    }
    return emptied;
  }

  private static int group(Reference reference) {
    return SharedNames.segment(reference.segment()).map(SharedNames.Segment::group).orElse(-1);
  }
}
