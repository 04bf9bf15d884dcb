// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.List;
import org.cairn.CorruptContainerException;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.SlotOwners;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * The version that the next one continues, as memory has it.
 *
 * @param version null before the first
 * @param map follows what becomes durable
 * @param owners whose its slots are
 * @param inThePast whether newer ones were given up: its map must be written once more, so that the
 *     next one is a delta to it
 */
record Base(
    Root.@Nullable Entry version,
    Catalog catalog,
    BlockMap map,
    SlotOwners owners,
    boolean inThePast) {

  /** What the first version continues. */
  static Base none() {
    return new Base(null, Catalog.EMPTY, new BlockMap(), SlotOwners.NOBODY, false);
  }

  /** Loads and verifies a version. */
  static Base load(ContainerFile records, Root root, Root.Entry version, boolean inThePast)
      throws IOException {
    Catalog catalog = records.catalog(version);
    BlockMap map = records.map(root, version, catalog);
    return new Base(version, catalog, map, SlotOwners.of(catalog), inThePast);
  }

  /**
   * Loads the newest version whose map can be read.
   *
   * @param problems is told of those that cannot
   * @throws CorruptContainerException if there are versions, but not one map can be read
   */
  static Base newest(ContainerFile records, Root root, List<String> problems) throws IOException {
    CorruptContainerException first = null;
    for (Root.Entry version : root.versions().reversed()) {
      try {
        return load(records, root, version, !version.equals(root.versions().getLast()));
      } catch (CorruptContainerException e) {
        problems.add(e.getMessage());
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
    return none();
  }

  /** The same version, where another root has it. */
  Base at(Root.Entry place, boolean past) {
    return new Base(place, catalog, map, owners, past);
  }

  /** What a container tells of it; null before the first. */
  @Nullable VersionInfo info() {
    return version == null ? null : version.info();
  }

  /** Its identity; null before the first. */
  @Nullable VersionId id() {
    return version == null ? null : version.info().id();
  }

  /** Whether it is this one. */
  boolean is(Root.Entry other) {
    return other.equals(version);
  }
}
