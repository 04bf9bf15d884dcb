// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.container.BlockSource;
import org.cairn.container.ContainerReader;
import org.cairn.store.Directories;
import org.cairn.store.DirectoryStore;
import org.cairn.store.FileDirectories;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.tier.FileNames;
import org.cairn.tier.elsewhere.OtherPlaces;
import org.cairn.tier.shared.SegmentSource;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.tier.shared.SharedNames;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.Ownership;
import org.cairn.version.Sighting;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;

/**
 * The files that {@link Checkpoints} reads: containers of ranks, be they in one directory or in one
 * for each, copies where a container is lost, or what a shared directory has. What a file is, and
 * whose, it says itself. Nothing is written to them; for one thread.
 *
 * <p>Containers and segments are opened when something of them is wanted; the last few stay open.
 */
final class SavedFiles implements AutoCloseable {
  private static final String CONTAINER = ".cairn";

  private final String location;
  private final List<Held> files = new ArrayList<>();

  /** Who has the state of a rank, the nearest first. */
  private final Map<OpenStates.Key, List<Held>> holders = new HashMap<>();

  /** What nobody reads, but for blocks that are damaged elsewhere. */
  private final List<Held> parity = new ArrayList<>();

  private final List<String> problems = new ArrayList<>();
  private final OpenStates states = new OpenStates();
  private final Detours detours = new Detours();

  /** What a shared directory has; empty unless one is looked at. */
  private Optional<Shared> shared;

  /** A container that can be read. */
  private record Held(
      Store store,
      String directory,
      String file,
      Ownership owner,
      SortedMap<VersionId, VersionInfo> versions) {

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
      Held file = new Held(store, directory, name, reader.ownership(), versions);
      if (alsoParity || reader.ownership().kind() != Ownership.PARITY) {
        add(file);
      } else {
        parity.add(file);
      }
    }
  }

  private void add(Held file) {
    files.add(file);
    for (VersionId version : file.versions.keySet()) {
      List<Held> all =
          holders.computeIfAbsent(
              new OpenStates.Key(version, file.owner.rank()), _ -> new ArrayList<>(1));
      all.add(file);
      all.sort(Comparator.comparingInt(Held::distance));
    }
  }

  /** Reads also what was flushed to a shared directory. */
  void flushedTo(Store store) throws IOException {
    SavedFiles other = inShared(store, store.location());
    problems.addAll(other.problems);
    shared = other.shared;
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
    for (int rank = 0; rank < version.ranks(); rank++) {
      if (has(version, rank)) {
        ranks.add(rank);
      }
    }
    return ranks;
  }

  boolean has(VersionId version, int rank) {
    return holder(version, rank).isPresent() || flushed(version).isPresent();
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

  private List<Held> holders(VersionId version, int rank) {
    return holders.getOrDefault(new OpenStates.Key(version, rank), List.of());
  }

  private Optional<Held> holder(VersionId version, int rank) {
    return holders(version, rank).stream().findFirst();
  }

  // ---------------------------------------------------------------- opening

  /**
   * What a rank saved in a version, ready to be read until another state is.
   *
   * @throws IOException also if the state is not here, or no longer
   */
  VersionSource open(VersionId version, int rank) throws IOException {
    return states.get(new OpenStates.Key(version, rank), () -> opened(version, rank));
  }

  /** From the nearest place that can be read. */
  private OpenStates.State opened(VersionId version, int rank) throws IOException {
    return fromNearest(
        version,
        rank,
        holder -> opened(holder, version),
        () -> {
          SegmentSource source = SegmentSource.open(flushedTo(version, rank), version, rank);
          return new OpenStates.State(source, source);
        });
  }

  private OpenStates.State opened(Held holder, VersionId version) throws IOException {
    ContainerReader reader = ContainerReader.open(holder.store, holder.file);
    try {
      OpenStates.Key key = new OpenStates.Key(version, holder.owner.rank());
      BlockSource elsewhere = detours.of(key, place(holder), this::everything);
      return new OpenStates.State(reader.view(version).orFrom(elsewhere), reader::close);
    } catch (IOException | RuntimeException | Error e) {
      reader.close();
      throw e;
    }
  }

  private interface OfHolder<T> {
    T read(Held holder) throws IOException;
  }

  private interface OfShared<T> {
    T read() throws IOException;
  }

  /** What is damaged in one place may be had in the next. */
  private <T> T fromNearest(VersionId version, int rank, OfHolder<T> container, OfShared<T> flushed)
      throws IOException {
    List<Exception> failures = new ArrayList<>();
    for (Held holder : holders(version, rank)) {
      try {
        T read = container.read(holder);
        detours.tell(failures, holder.store.location(holder.file));
        return read;
      } catch (IOException | IllegalArgumentException e) {
        failures.add(e);
      }
    }
    if (failures.isEmpty() || flushed(version).isPresent()) {
      T read = flushed.read();
      detours.tell(failures, "the shared directory");
      return read;
    }
    switch (failures.getFirst()) {
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Exception e -> throw new IOException(e);
    }
  }

  /** Blocks that were damaged where they were to be read, and where they were read instead. */
  List<String> detours() {
    return detours.told();
  }

  private OtherPlaces.Everything everything() {
    List<OtherPlaces.Place> all = new ArrayList<>();
    files.forEach(file -> all.add(place(file)));
    parity.forEach(file -> all.add(place(file)));
    return new OtherPlaces.Everything(
        all,
        shared.map(Shared::store),
        shared.map(Shared::versions).map(Map::keySet).orElse(Set.of()));
  }

  private static OtherPlaces.Place place(Held file) {
    return new OtherPlaces.Place(file.store, file.file, file.owner, file.versions.keySet());
  }

  /** What is said of the datasets of a rank; nothing stays open for that in a container. */
  List<DatasetEntry> datasets(VersionId version, int rank) throws IOException {
    return fromNearest(
        version,
        rank,
        holder -> {
          try (ContainerReader reader = ContainerReader.open(holder.store, holder.file)) {
            return List.copyOf(reader.datasets(version));
          }
        },
        () -> List.copyOf(open(version, rank).datasets()));
  }

  /** Where the state of a rank lies, for people. */
  String location(VersionId version, int rank) {
    return holder(version, rank)
        .map(file -> file.store.location(file.file))
        .orElseGet(() -> location + " (rank " + rank + ")");
  }

  /** The name of the job that a rank saved it in; empty if it has none. */
  String jobName(VersionId version, int rank) {
    return holder(version, rank)
        .map(file -> file.owner.lineage())
        .or(() -> flushed(version).map(SharedDirectory.Sighting::lineage))
        .map(Lineage::name)
        .orElse("");
  }

  /** Whether the state of a rank is still there: a program that runs meanwhile may drop it. */
  boolean isRetained(VersionId version, int rank) throws IOException {
    Optional<Held> holder = holder(version, rank);
    if (holder.isEmpty()) {
      return flushedTo(version, rank).list().contains(SharedNames.manifest(version));
    }
    try (ContainerReader reader = ContainerReader.open(holder.get().store, holder.get().file)) {
      return reader.versions().stream().anyMatch(info -> info.id().equals(version));
    }
  }

  private Optional<SharedDirectory.Sighting> flushed(VersionId version) {
    return shared.flatMap(place -> place.find(version));
  }

  private Store flushedTo(VersionId version, int rank) throws IOException {
    if (flushed(version).isEmpty()) {
      throw new NoSuchFileException(location, null, "has no state of rank " + rank);
    }
    return shared.orElseThrow().store;
  }

  @Override
  public void close() throws IOException {
    new Closing().then(states::close).then(detours::close).end();
  }
}
