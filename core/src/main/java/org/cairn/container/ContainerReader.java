// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Delta;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;

/**
 * A container open for reading. Reading never changes the file, and may go on beside a writer: what
 * does not match is read again if the writer has published something since.
 */
public final class ContainerReader implements AutoCloseable {
  /** How often something is read again that a writer has replaced meanwhile, each time anew. */
  private static final int ATTEMPTS = 20;

  private final StoreFile file;
  private final ContainerFile records;
  private final boolean uncached;
  private ContainerFile.Anchor anchor;
  private RecentBytes recent = RecentBytes.NONE;

  private ContainerReader(StoreFile file, String location, boolean uncached) throws IOException {
    this.file = file;
    this.uncached = uncached;
    this.records = new ContainerFile(file, location);
    this.anchor = loadAnchor();
  }

  /**
   * What tells a container, of any release, from all others and from itself after a change: where
   * the superblocks lie does not depend on the release.
   */
  public static Digest digestOfAnchors(Store store, String name) throws IOException {
    byte[] anchors = new byte[(int) ContainerFormat.FIRST_EXTENT];
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      long count = file.read(0, MemorySegment.ofArray(anchors));
      return Digest.of(MemorySegment.ofArray(anchors).asSlice(0, count));
    }
  }

  /**
   * Opens a container.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   * @throws UnsupportedFormatException if the file is something else, or too new
   * @throws CorruptContainerException if its list of versions cannot be read
   */
  public static ContainerReader open(Store store, String name) throws IOException {
    return open(store.open(name, Store.Access.READ), store.location(name), false);
  }

  /**
   * Opens a container to be read from the medium itself, past the system's cache, if the store can
   * do that; {@link #isUncached} tells.
   */
  public static ContainerReader openUncached(Store store, String name) throws IOException {
    Optional<StoreFile> medium = store.openUncached(name);
    return medium.isEmpty() ? open(store, name) : open(medium.get(), store.location(name), true);
  }

  private static ContainerReader open(StoreFile file, String location, boolean uncached)
      throws IOException {
    try {
      return new ContainerReader(file, location, uncached);
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  /**
   * From now on blocks of versions are taken from memory, where who writes the file still has them.
   *
   * @param writer who {@linkplain Container#rememberDeltas remembers} what it wrote; what it has
   *     under the same place, length and digest is what the file has
   */
  public ContainerReader fedBy(Container writer) {
    recent = writer.recentBytes();
    return this;
  }

  private ContainerFile.Anchor loadAnchor() throws IOException {
    for (int attempt = 1; ; attempt++) {
      long before = newestSequence();
      try {
        ContainerFile.Anchor found = records.anchor();
        // An older superblock may have led to a list while the newer one was being replaced.
        if (found.problems().isEmpty() || attempt == ATTEMPTS || newestSequence() == before) {
          return found;
        }
      } catch (CorruptContainerException e) {
        if (attempt == ATTEMPTS || newestSequence() == before) {
          throw e;
        }
      }
    }
  }

  private long newestSequence() throws IOException {
    try {
      return Superblock.readBoth(file, records.location()).readable().getFirst().sequence();
    } catch (CorruptContainerException e) {
      return -1;
    }
  }

  /** Whether the medium itself is read, and not what the system's memory has of it. */
  public boolean isUncached() {
    return uncached;
  }

  /** The retained versions, newest first. */
  public List<VersionInfo> versions() {
    return anchor.root().versions().reversed().stream().map(Root.Entry::info).toList();
  }

  /** What is damaged but could be done without. */
  public List<String> problems() {
    return anchor.problems();
  }

  /** Where the file lies. */
  public String location() {
    return records.location();
  }

  /** Names the container for its whole life. */
  public UUID id() {
    return anchor.superblock().id();
  }

  /** What the container says about itself. */
  public Ownership ownership() {
    return anchor.root().ownership();
  }

  /**
   * The newest epoch that a version of the container may bear. Each opening for writing takes the
   * next, and ranks may agree on a larger one: it does not count openings.
   */
  public long epoch() {
    return anchor.superblock().epoch();
  }

  /**
   * Whether a version was ever durable in this file, retained or not. One damaged superblock does
   * not hide that: both tell of the first version before it counts.
   */
  public boolean everHeldVersion() {
    return anchor.lastSequence() > 0 || !anchor.root().versions().isEmpty();
  }

  ContainerFile records() {
    return records;
  }

  /** The length of the file. */
  public long fileBytes() throws IOException {
    return file.size();
  }

  /**
   * Loads the map and the catalog of a version.
   *
   * @throws CorruptContainerException if they are damaged
   * @throws IllegalArgumentException if the version is not (or no longer) retained
   */
  public VersionView view(VersionId id) throws IOException {
    return steadily(() -> load(id));
  }

  /**
   * What is said of the datasets of a version; its map is not loaded.
   *
   * @throws CorruptContainerException if the catalog is damaged
   * @throws IllegalArgumentException if the version is not (or no longer) retained
   */
  public Collection<DatasetEntry> datasets(VersionId id) throws IOException {
    return steadily(() -> records.catalog(entry(id)).datasets());
  }

  private interface Loading<T> {
    T load() throws IOException;
  }

  /** What a writer has replaced meanwhile looks damaged: it is looked for again. */
  private <T> T steadily(Loading<T> loading) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return loading.load();
      } catch (CorruptContainerException e) {
        long before = anchor.superblock().sequence();
        anchor = loadAnchor();
        if (attempt == ATTEMPTS || anchor.superblock().sequence() == before) {
          throw e;
        }
      }
    }
  }

  private VersionView view(VersionInfo version, Catalog catalog, BlockMap map) {
    return new VersionView(records, version, catalog, map, recent);
  }

  private VersionView load(VersionId id) throws IOException {
    Root.Entry version = entry(id);
    Catalog catalog = records.catalog(version);
    return view(version.info(), catalog, records.map(anchor.root(), version, catalog));
  }

  private Root.Entry entry(VersionId id) {
    return anchor.root().versions().stream()
        .filter(version -> version.info().id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "version %s is not in %s; it has %s%s"
                        .formatted(
                            id,
                            location(),
                            versions().stream().map(VersionInfo::id).toList(),
                            problems().isEmpty() ? "" : "; " + String.join("; ", problems()))));
  }

  /** What a delta leads to, as far as it changed; this file must retain it to be read. */
  public VersionView changed(Delta delta) {
    return view(delta.changed());
  }

  /** What a delta leads from, as far as it is gone; this file must retain it to be read. */
  public VersionView gone(Delta delta) {
    return view(delta.gone());
  }

  private VersionView view(Delta.Part part) {
    return view(part.info(), part.catalog(), part.map());
  }

  /**
   * Whether a version is still retained, looked up anew: a writer may have dropped it and used its
   * space since, and then what looks like damage is none.
   */
  public boolean isRetained(VersionId id) throws IOException {
    anchor = loadAnchor();
    return anchor.root().versions().stream().anyMatch(v -> v.info().id().equals(id));
  }

  /** How many bytes of the file any retained version refers to, maps included. */
  public long liveBytes() throws IOException {
    long[] bytes = {anchor.superblock().root().length() + ContainerFormat.FIRST_EXTENT};
    ExtentList all = new ExtentList();
    List<CorruptContainerException> problems = new ArrayList<>();
    MapWalk walk = new MapWalk(records, anchor.root(), null, problems::add);
    for (Root.Entry version : anchor.root().versions()) {
      ExtentList replaced = walk.goTo(version);
      if (replaced == null) {
        throw problems.getLast();
      }
      all.addAll(replaced);
    }
    walk.map().forEachExtent(all);
    all.makeSet();
    all.forEach((place, length) -> bytes[0] += length);
    anchor.root().places().forEach(place -> bytes[0] += place.length());
    // A container that holds nothing yet is shorter than the room for its two superblocks.
    return Math.min(bytes[0], fileBytes());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
