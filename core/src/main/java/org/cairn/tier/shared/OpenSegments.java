// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.supply.Mutex;

/**
 * The segments of one version that stay open while a state is read from them. Safe for use by many
 * threads.
 */
final class OpenSegments implements AutoCloseable {
  private final Store shared;
  private final Map<String, Reference> references = new HashMap<>();
  private final Map<String, SegmentReader> open = new HashMap<>();
  private final Mutex mutex = new Mutex();

  OpenSegments(Store shared, Iterable<Reference> references) {
    this.shared = shared;
    references.forEach(reference -> this.references.put(reference.segment(), reference));
  }

  /** The segment of this name, if it is the one that was referred to. */
  SegmentReader open(String name) throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      SegmentReader reader = open.get(name);
      if (reader == null) {
        Reference expected = references.get(name);
        if (expected == null) {
          throw new IOException(shared.location(name) + " is not one that the version refers to");
        }
        reader = SegmentReader.open(shared, expected);
        open.put(name, reader);
      }
      return reader;
    }
  }

  @Override
  public void close() throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      Closing closing = new Closing();
      open.values().forEach(reader -> closing.then(reader::close));
      closing.end();
    }
  }
}
