// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.cairn.version.Catalog;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;

/** Reads retained versions of a container that stays open for writing. */
final class Views {
  private final Holdings held;

  /** Many versions have the same catalog; whoever asks for one mostly asks for all. */
  private volatile NamedCatalog lastNamed =
      new NamedCatalog(new Pointer(0, 0, 0, 0), Set.of()); // no catalog is there

  private record NamedCatalog(Pointer place, Set<String> names) {}

  Views(Holdings held) {
    this.held = held;
  }

  VersionView view(VersionInfo version) throws IOException {
    Root.Entry entry = entry(version.id());
    Base base = held.base();
    if (base.is(entry)) {
      return new VersionView(held.records(), version, base.catalog(), base.map());
    }
    Catalog catalog = held.records().catalog(entry);
    return new VersionView(
        held.records(), version, catalog, held.records().map(held.root(), entry, catalog));
  }

  Set<String> datasetNames(VersionInfo version) throws IOException {
    Root.Entry entry = entry(version.id());
    NamedCatalog last = lastNamed;
    if (!last.place.equals(entry.catalog())) {
      Set<String> names = new HashSet<>();
      held.records().catalog(entry).datasets().forEach(dataset -> names.add(dataset.name()));
      last = new NamedCatalog(entry.catalog(), names);
      lastNamed = last;
    }
    return last.names;
  }

  /**
   * Where a version is in the root.
   *
   * @throws IllegalArgumentException if it is not retained
   */
  Root.Entry entry(VersionId id) {
    List<Root.Entry> versions = held.root().versions();
    int low = 0;
    int high = versions.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = versions.get(middle).info().id().compareTo(id);
      if (order == 0) {
        return versions.get(middle);
      }
      low = order < 0 ? middle + 1 : low;
      high = order < 0 ? high : middle - 1;
    }
    throw new IllegalArgumentException("version " + id + " is not in " + held.writer().location());
  }
}
