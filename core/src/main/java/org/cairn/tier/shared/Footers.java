// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;

/**
 * Looks at the ends of segments, at each once: many versions refer to the same. For one look at a
 * directory, by somebody who may {@linkplain KnownSegments know} some of it already; not for use by
 * several threads.
 */
final class Footers {
  private final Store store;
  private final KnownSegments known;
  private final Map<String, End> ends = new HashMap<>();

  /**
   * What the end of a segment says.
   *
   * @param problem why it says nothing; empty if it does
   */
  private record End(long size, Digest footer, String problem) {}

  /** For somebody who knows nothing. */
  Footers(Store store) {
    this(store, new KnownSegments());
  }

  Footers(Store store, KnownSegments known) {
    this.store = store;
    this.known = known;
  }

  /** What is wrong with the first segment that is missing, damaged or another one. */
  Optional<String> problem(List<Reference> references) {
    for (Reference reference : references) {
      Optional<String> problem = problem(reference);
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  private Optional<String> problem(Reference expected) {
    End end = ends.computeIfAbsent(expected.segment(), this::look);
    String found;
    if (!end.problem.isEmpty()) {
      found = end.problem;
    } else if (end.size != expected.size()) {
      found = end.size + " bytes";
    } else if (!end.footer.equals(expected.footer())) {
      found =
          "another one of that size: its footer has checksum %s, expected %s"
              .formatted(end.footer, expected.footer());
    } else {
      return Optional.empty();
    }
    return Optional.of(
        "expected segment %s of %d bytes, found %s"
            .formatted(store.location(expected.segment()), expected.size(), found));
  }

  private End look(String name) {
    try {
      KnownSegments.End end = known.find(name).filter(one -> isThere(name, one)).orElse(null);
      if (end == null) {
        end = read(name);
        known.add(name, end);
      }
      return new End(end.size(), end.footer(), "");
    } catch (NoSuchFileException e) {
      return new End(0, Digest.NONE, "none");
    } catch (IOException e) {
      return new End(0, Digest.NONE, "one that cannot be used: " + e.getMessage());
    }
  }

  private KnownSegments.End read(String name) throws IOException {
    try (SegmentReader segment = SegmentReader.open(store, name)) {
      return new KnownSegments.End(segment.size(), segment.footerChecksum());
    }
  }

  /** Reads nothing; what does not answer as it should is read to find out why. */
  private boolean isThere(String name, KnownSegments.End end) {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      return file.size() == end.size();
    } catch (IOException e) {
      return false;
    }
  }
}
