// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.store.Store;
import org.cairn.version.Lineage;
import org.jspecify.annotations.Nullable;

/**
 * The file of a flush that holds nothing but indices, for later versions to {@link Chain link} to:
 * made when the first member of the group has one. For one thread.
 */
final class IndexFile implements AutoCloseable {
  private final Store shared;
  private final Clock clock;
  private final SharedNames.Segment identity;
  private final Lineage lineage;
  private @Nullable SegmentWriter writer;

  IndexFile(Store shared, Clock clock, SharedNames.Segment identity, Lineage lineage) {
    this.shared = shared;
    this.clock = clock;
    this.identity = identity;
    this.lineage = lineage;
  }

  /**
   * Adds the index of a member.
   *
   * @param references what the member's version needs; of these the file says that it needs the
   *     indices that this one is a change to. Blocks it does not keep alive: versions do.
   */
  void add(MemberIndex index, List<Reference> references) throws IOException {
    SegmentWriter file = writer;
    if (file == null) {
      file = SegmentWriter.create(shared, clock, identity, lineage);
      writer = file;
    }
    Map<String, Long> needed = new HashMap<>();
    for (Reference reference : references) {
      if (!reference.segment().equals(identity.name())) {
        file.reference(reference);
        if (SharedNames.isOfIndices(reference.segment())) {
          needed.put(reference.segment(), reference.liveBytes());
        }
      }
    }
    file.addMember(index, needed);
  }

  /** Makes it durable; the answer is how to refer to it, empty if there is none. */
  Optional<Reference> finish() throws IOException {
    SegmentWriter file = writer;
    return file == null
        ? Optional.empty()
        : file.finish().references().stream()
            .filter(reference -> reference.segment().equals(identity.name()))
            .findFirst();
  }

  @Override
  public void close() throws IOException {
    if (writer != null) {
      writer.close();
    }
  }
}
