// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.record.Digest;

/**
 * What a writer knows of the ends of segments from flush to flush, so that it need not read them
 * again: no name is used twice, and a segment never changes. That one is still there, and as long
 * as it was, is looked at each time all the same: others can delete it.
 *
 * <p>Media decay; so with each flush the end that was not read for the longest time is forgotten,
 * and read anew. For one thread.
 */
final class KnownSegments {
  /** In the order in which they were read. */
  private final Map<String, End> ends = new LinkedHashMap<>();

  /** What the end of a segment says that could be read. */
  record End(long size, Digest footer) {}

  /**
   * Another flush begins.
   *
   * @param there the files that there are
   */
  void nextFlush(Set<String> there) {
    ends.keySet().retainAll(there);
    Iterator<String> oldestFirst = ends.keySet().iterator();
    if (oldestFirst.hasNext()) {
      oldestFirst.next();
      oldestFirst.remove();
    }
  }

  Optional<End> find(String segment) {
    return Optional.ofNullable(ends.get(segment));
  }

  void add(String segment, End end) {
    ends.put(segment, end);
  }
}
