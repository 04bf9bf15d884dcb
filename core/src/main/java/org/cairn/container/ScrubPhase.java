// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.cairn.supply.Mutex;

/**
 * A part of a round over a container, and what comes after it:
 *
 * <pre>
 * Anchors → Records → Newest → ( Next → Older )* → Done          (Newest to Older: ScrubBlocks)
 * </pre>
 */
sealed interface ScrubPhase
    permits ScrubPhase.Anchors, ScrubPhase.Records, ScrubBlocks, ScrubBlocks.Next, ScrubPhase.Done {
  /** What a step has read, and the phase to go on with. */
  record Step(long bytes, ScrubPhase next) {}

  /** Goes on by a piece. */
  Step step() throws IOException;

  /** Superblocks and root; finds the records that are there now. */
  record Anchors(ScrubReader reader) implements ScrubPhase {
    @Override
    public Step step() throws IOException {
      try (Mutex.Held _ = reader.container().hold()) {
        reader.checkAnchors();
        Map<Pointer, String> records = named(reader.holdings().root());
        return new Step(
            2 * ContainerFormat.SUPERBLOCK_BYTES,
            new Records(reader, new ArrayDeque<>(records.entrySet())));
      }
    }

    /** Each record with what it is, for people. */
    private static Map<Pointer, String> named(Root root) {
      Map<Pointer, String> named = new LinkedHashMap<>();
      for (Root.Entry version : root.versions().reversed()) {
        String id = version.info().id().toString();
        root.chain(version)
            .forEach(
                record ->
                    named.merge(
                        record.place(), "the block map of version " + id, (a, b) -> a + ", " + id));
        named.merge(version.catalog(), "the catalog of version " + id, (a, b) -> a + ", " + id);
      }
      return named;
    }
  }

  /**
   * Map records and catalogs, one a step.
   *
   * @param left those that have not been looked at yet
   */
  record Records(ScrubReader reader, Deque<Map.Entry<Pointer, String>> left) implements ScrubPhase {
    @Override
    public Step step() throws IOException {
      Map.Entry<Pointer, String> next = left.poll();
      if (next == null) {
        return new Step(0, new ScrubBlocks.Newest(reader));
      }
      Optional<ExtentList> held = reader.holdRecord(next.getKey());
      if (held.isEmpty()) {
        return new Step(0, this); // it has gone since
      }
      try {
        reader.checkRecord(next.getKey(), next.getValue());
      } finally {
        reader.letGo(held.get());
      }
      return new Step(next.getKey().length(), this);
    }
  }

  /** The round is complete. */
  record Done() implements ScrubPhase {
    @Override
    public Step step() {
      return new Step(0, this);
    }
  }
}
