// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.store.Directories;
import org.cairn.store.DirectoryStore;
import org.cairn.store.FileDirectories;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.tier.FileNames;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.tier.shared.SharedNames;
import org.cairn.tier.shared.SharedTier;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.Ownership;
import org.cairn.version.Sighting;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;

/**
 * The files that {@link Checkpoints} reads: containers of ranks, be they in one directory or in one
 * for each, copies where a container is lost, or what a shared directory has. What a file is, and
 * whose, it says itself. Nothing is written to them; for one thread.
 *
 * <p>Containers are opened when something of them is wanted, and stay open. What lies in a shared
 * directory is brought into a container of its own first, which goes when this is closed.
 */
final class SavedFiles implements AutoCloseable {
  private static final String CONTAINER = ".cairn";

  private final String location;
  private final List<Held> files = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final Map<String, ContainerReader> readers = new HashMap<>();
  private final List<Path> temporary = new ArrayList<>();

  /** What a shared directory has; empty unless one is looked at. */
  private final Optional<Shared> shared;

  /** A container that can be read. */
  private record Held(
      Store store,
      String directory,
      String file,
      Ownership owner,
      SortedMap<VersionId, VersionInfo> versions) {

    boolean holds(VersionId version, int rank) {
      return owner.rank() == rank && versions.containsKey(version);
    }

    /** A rank's own container comes before a copy, one in its own directory before others. */
    int distance() {
      boolean home = directory.equals(FileNames.directory(owner.rank()));
      return (owner.kind() == Ownership.STATE ? 0 : 2) + (home ? 0 : 1);
    }
  }

  /** A shared directory. */
  private record Shared(Store store, Map<VersionId, SharedDirectory.Sighting> versions) {
    Optional<SharedDirectory.Sighting> find(VersionId version) {
      return Optional.ofNullable(versions.get(version));
    }

    List<SharedDirectory.Sighting> all() {
      return List.copyOf(versions.values());
    }
  }

  private SavedFiles(String location, Optional<Shared> shared) {
    this.location = location;
    this.shared = shared;
  }

  /** Looks at a directory of a program, of a job, or that jobs share; or at one container. */
  static SavedFiles in(Path path) throws IOException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString(), null, "there is no such directory");
    }
    if (!Files.isDirectory(path)) {
      return inFile(path.toRealPath());
    }
    DirectoryStore root = DirectoryStore.open(path, false);
    boolean isShared = root.list().stream().anyMatch(name -> SharedNames.job(name).isPresent());
    return isShared ? inShared(root, path.toString()) : in(new FileDirectories(path));
  }

  private static SavedFiles inFile(Path file) throws IOException {
    SavedFiles found = new SavedFiles(file.toString(), Optional.empty());
    Path directory = file.getParent();
    Path name = file.getFileName();
    if (directory == null || name == null) {
      throw new NoSuchFileException(file.toString());
    }
    found.add(DirectoryStore.open(directory, false), Directories.ROOT, name.toString(), true);
    return found;
  }

  /** Looks at the stores of a program or job. */
  static SavedFiles in(Directories directories) throws IOException {
    SavedFiles found = new SavedFiles(directories.location(), Optional.empty());
    for (String directory : directories.names()) {
      if (directory.equals(Directories.ROOT) || FileNames.isDirectory(directory)) {
        Store store = directories.open(directory);
        for (String name : store.list()) {
          if (name.endsWith(CONTAINER) && !FileNames.isRebuilt(name)) {
            found.tryToAdd(store, directory, name);
          }
        }
      }
    }
    return found;
  }

  static SavedFiles inShared(Store store, String location) throws IOException {
    Map<VersionId, SharedDirectory.Sighting> whole = new LinkedHashMap<>();
    SavedFiles found = new SavedFiles(location, Optional.of(new Shared(store, whole)));
    SharedDirectory.Survey survey = new SharedDirectory(store).survey();
    for (SharedDirectory.Sighting one : survey.versions()) {
      one.problem()
          .ifPresentOrElse(
              what -> found.problems.add("version " + one.id().exact() + ": " + what),
              () -> whole.put(one.id(), one));
    }
    survey.problems().forEach(one -> found.problems.add(one.what()));
    return found;
  }

  private void tryToAdd(Store store, String directory, String name) {
    try {
      add(store, directory, name, false);
    } catch (NoSuchFileException e) {
      // A program that runs meanwhile has just put it in its place.
    } catch (IOException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
  }

  /** Parity means nothing to most; who names the file knows what to do with it. */
  private void add(Store store, String directory, String name, boolean alsoParity)
      throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, name)) {
      SortedMap<VersionId, VersionInfo> versions = new TreeMap<>();
      reader.versions().forEach(info -> versions.put(info.id(), info));
      problems.addAll(reader.problems());
      if (alsoParity || reader.ownership().kind() != Ownership.PARITY) {
        files.add(new Held(store, directory, name, reader.ownership(), versions));
      }
    }
  }

  // ---------------------------------------------------------------- what there is

  String location() {
    return location;
  }

  List<String> problems() {
    return problems;
  }

  /** All versions of which the state of any rank is here, and when they were taken. */
  SortedMap<VersionId, Instant> versions() {
    SortedMap<VersionId, Instant> found = new TreeMap<>();
    for (Held file : files) {
      file.versions.forEach((id, info) -> found.put(id, info.takenAt()));
    }
    shared.ifPresent(place -> place.versions.forEach((id, one) -> found.put(id, one.takenAt())));
    return found;
  }

  /** What a person says of a version. */
  Label label(VersionId version) {
    return files.stream()
        .flatMap(file -> Optional.ofNullable(file.versions.get(version)).stream())
        .map(VersionInfo::label)
        .findFirst()
        .or(() -> flushed(version).map(SharedDirectory.Sighting::label))
        .orElseGet(Label::none);
  }

  /** The ranks whose state of a version is here. */
  SortedSet<Integer> ranks(VersionId version) {
    SortedSet<Integer> ranks = new TreeSet<>();
    boolean flushed = flushed(version).isPresent();
    for (int rank = 0; rank < version.ranks(); rank++) {
      if (flushed || holder(version, rank).isPresent()) {
        ranks.add(rank);
      }
    }
    return ranks;
  }

  /** Which versions belong together, for each name of a job. */
  List<Lives> lives() {
    Map<String, List<Sighting>> seen = new TreeMap<>();
    Map<String, List<Lineage>> lineages = new TreeMap<>();
    for (Held file : files) {
      Lineage lineage = file.owner.lineage();
      lineages.computeIfAbsent(lineage.name(), _ -> new ArrayList<>()).add(lineage);
      file.versions.forEach((id, info) -> see(lineage, id, info.takenAt(), seen));
    }
    for (SharedDirectory.Sighting one : shared.map(Shared::all).orElse(List.of())) {
      Lineage lineage = one.lineage();
      lineages.computeIfAbsent(lineage.name(), _ -> new ArrayList<>()).add(lineage);
      see(lineage, one.id(), one.takenAt(), seen);
    }
    List<Lives> lives = new ArrayList<>();
    lineages.forEach(
        (name, found) ->
            lives.add(
                new Lives(seen.getOrDefault(name, List.of()), found.stream().distinct().toList())));
    return lives;
  }

  private static void see(
      Lineage lineage, VersionId id, Instant takenAt, Map<String, List<Sighting>> seen) {
    seen.computeIfAbsent(lineage.name(), _ -> new ArrayList<>()).add(new Sighting(id, takenAt));
  }

  private Optional<Held> holder(VersionId version, int rank) {
    return files.stream()
        .filter(file -> file.holds(version, rank))
        .min(Comparator.comparingInt(Held::distance));
  }

  // ---------------------------------------------------------------- opening

  /** A container that has the state of a rank; nothing if there is none. */
  Optional<ContainerReader> open(VersionId version, int rank) throws IOException {
    Optional<Held> holder = holder(version, rank);
    if (holder.isPresent()) {
      Held file = holder.get();
      return Optional.of(reader(file.store.location(file.file), file.store, file.file));
    }
    Optional<SharedDirectory.Sighting> flushed = flushed(version);
    return flushed.isPresent()
        ? Optional.of(fetched(shared.orElseThrow().store, flushed.get(), rank))
        : Optional.empty();
  }

  private Optional<SharedDirectory.Sighting> flushed(VersionId version) {
    return shared.flatMap(place -> place.find(version));
  }

  private ContainerReader reader(String key, Store store, String name) throws IOException {
    ContainerReader before = readers.get(key);
    if (before != null) {
      return before;
    }
    ContainerReader opened = ContainerReader.open(store, name);
    readers.put(key, opened);
    return opened;
  }

  private ContainerReader fetched(Store from, SharedDirectory.Sighting version, int rank)
      throws IOException {
    String key = version.id().exact() + " of rank " + rank;
    ContainerReader before = readers.get(key);
    if (before != null) {
      return before;
    }
    Path directory = Files.createTempDirectory("cairn");
    temporary.add(directory);
    DirectoryStore store = DirectoryStore.open(directory, false);
    String name = FileNames.local(rank);
    Ownership owner = new Ownership(version.lineage(), Ownership.STATE, rank, version.id().ranks());
    try (Container container =
        Container.open(store, name, Retention.newest(1), owner, new SecureRandom()::nextLong)) {
      SharedTier.rebuild(from, version.id(), rank, container);
    }
    return reader(key, store, name);
  }

  @Override
  public void close() throws IOException {
    Closing steps = new Closing();
    readers.values().forEach(reader -> steps.then(reader::close));
    readers.clear();
    temporary.forEach(directory -> steps.then(() -> delete(directory)));
    temporary.clear();
    steps.end();
  }

  private static void delete(Path directory) throws IOException {
    try (var entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        Files.delete(entry);
      }
    }
    Files.delete(directory);
  }
}
