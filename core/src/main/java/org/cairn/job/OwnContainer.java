// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.record.Digest;
import org.cairn.version.Delta;
import org.cairn.version.VersionId;

/**
 * The container that this rank writes to: none as long as it is not decided which job this is, and
 * none again when it is closed. Another run may put another in its place.
 *
 * <p>Changed by the program's thread, read by any.
 */
final class OwnContainer {
  private volatile Optional<LocalContainer> open = Optional.empty();

  /** The container, if there is one. */
  Optional<LocalContainer> get() {
    return open;
  }

  /** Whether it is this one. */
  boolean is(LocalContainer container) {
    return open.filter(mine -> mine == container).isPresent();
  }

  /** Goes on with this one; another that was open is left. */
  void becomes(LocalContainer container) {
    Optional<LocalContainer> before = open.filter(mine -> mine != container);
    open = Optional.of(container);
    before.ifPresent(LocalContainer::leave);
  }

  /** What leads from one version to another; empty if it is not known. */
  Optional<Delta> delta(VersionId base, Digest root, VersionId version) {
    return open.flatMap(mine -> mine.get().delta(base, root, version));
  }

  /** What of it is to be scrubbed. */
  List<Scrubber.Target> scrubTargets() {
    return open.map(mine -> new Scrubber.Target(mine.get(), () -> {})).stream().toList();
  }

  /** Closes it; after that there is none, also if that fails. */
  void close() throws IOException {
    Optional<LocalContainer> before = open;
    open = Optional.empty();
    if (before.isPresent()) {
      before.get().close();
    }
  }
}
