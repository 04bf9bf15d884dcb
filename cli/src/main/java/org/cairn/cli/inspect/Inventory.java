// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.Label;
import org.cairn.TierKind;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.container.ContainerReader;
import org.cairn.job.Outlook;
import org.cairn.store.Directories;
import org.cairn.store.DirectoryStore;
import org.cairn.store.FileDirectories;
import org.cairn.store.Store;
import org.cairn.tier.TierTypes;
import org.cairn.tier.elsewhere.OtherPlaces;
import org.cairn.tier.erasure.ParityInfo;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.Ownership;
import org.cairn.version.Sighting;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Everything that lies in a directory, of however many jobs, and which of it belongs together. What
 * a file is, and whose, it says itself; names and logs count for nothing.
 */
public final class Inventory {
  private final Path path;
  private final @Nullable SharedPlace shared;
  private final List<Held> files = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final Map<String, Lives> lives = new LinkedHashMap<>();
  private final List<LifeEntry> entries = new ArrayList<>();

  /**
   * One container that can be read.
   *
   * @param versions what it holds
   * @param parities what it holds, if it is parity
   */
  public record Held(
      ContainerPath path,
      Ownership ownership,
      SortedMap<VersionId, VersionInfo> versions,
      SortedMap<VersionId, ParityInfo> parities,
      long fileBytes) {

    TierKind kind() {
      return TierTypes.kind(ownership.kind());
    }

    int rank() {
      return ownership.rank();
    }

    /** The same for who looks for blocks. */
    OtherPlaces.Place place() throws IOException {
      return new OtherPlaces.Place(
          DirectoryStore.open(path.directory(), false), path.file(), ownership, versions.keySet());
    }

    /** Whether it is the container, the copy or the parity of a rank. */
    boolean is(TierKind kind, int rank) {
      return ownership.kind() == kind.number() && rank() == rank;
    }

    /** Whether it is what a rank saved, not a copy or parity. */
    boolean isState() {
      return ownership.kind() == Ownership.STATE;
    }
  }

  private Inventory(Path path, @Nullable SharedPlace shared) {
    this.path = path;
    this.shared = shared;
  }

  /**
   * Looks at a directory.
   *
   * @param path a directory of checkpoints, a shared directory, or a container
   * @param sharedPath the shared directory that belongs to it, if any is to be looked at
   */
  public static Inventory of(Path path, @Nullable Path sharedPath) throws IOException {
    boolean isShared = SharedPlace.isOne(path);
    Path where = isShared ? path : sharedPath;
    Inventory all = new Inventory(path, where == null ? null : SharedPlace.open(where));
    if (!isShared) {
      List<ContainerPath> aside = ContainerPath.putAside(path);
      List<ContainerPath> containers = containers(path, where != null || !aside.isEmpty());
      containers.forEach(all::read);
      if (containers.isEmpty()) {
        aside.forEach(all::complainOfPutAside);
      }
    }
    all.sort();
    return all;
  }

  /** Beside files in their places it is of no use; alone it is all that is left of a job. */
  private void complainOfPutAside(ContainerPath file) {
    problems.add(
        "%s could not be read and was put aside; cairn prune --damaged deletes it".formatted(file));
  }

  /** Where a shared directory is looked at, all local files may be gone. */
  private static List<ContainerPath> containers(Path path, boolean mayBeGone) throws IOException {
    try {
      return ContainerPath.all(path);
    } catch (CommandFailedException e) {
      if (mayBeGone) {
        return List.of();
      }
      throw e;
    }
  }

  private void read(ContainerPath file) {
    try (ContainerReader reader = file.open()) {
      SortedMap<VersionId, VersionInfo> versions = new TreeMap<>();
      reader.versions().forEach(info -> versions.put(info.id(), info));
      problems.addAll(reader.problems());
      files.add(new Held(file, reader.ownership(), versions, parities(reader), reader.fileBytes()));
    } catch (NoSuchFileException e) {
      // A program that runs meanwhile has just put it in its place.
    } catch (IOException e) {
      problems.add(Explanations.of(e));
    }
  }

  private SortedMap<VersionId, ParityInfo> parities(ContainerReader reader) {
    SortedMap<VersionId, ParityInfo> found = new TreeMap<>();
    if (reader.ownership().kind() != Ownership.PARITY) {
      return found;
    }
    for (VersionInfo info : reader.versions()) {
      try {
        found.put(info.id(), ParityInfo.read(reader, info.id()));
      } catch (IOException | IllegalArgumentException e) {
        problems.add(Explanations.of(e));
      }
    }
    return found;
  }

  // ---------------------------------------------------------------- which of it belongs together

  private void sort() {
    if (shared != null) {
      problems.addAll(shared.problems());
    }
    for (String name : names()) {
      List<Sighting> seen = new ArrayList<>();
      List<Lineage> lineages = new ArrayList<>();
      for (Held file : files) {
        if (file.ownership.lineage().name().equals(name)) {
          file.versions.forEach((id, info) -> seen.add(new Sighting(id, info.takenAt())));
          lineages.add(file.ownership.lineage());
        }
      }
      if (shared != null) {
        shared.collect(name, seen, lineages);
      }
      lives.put(name, new Lives(seen, lineages.stream().distinct().toList()));
    }
    lives.forEach((name, found) -> entries.addAll(entries(name, found)));
  }

  private Set<String> names() {
    Set<String> names = new TreeSet<>();
    files.forEach(file -> names.add(file.ownership.lineage().name()));
    if (shared != null) {
      names.addAll(shared.names());
    }
    return names;
  }

  /** Current lives first, then what is past, then jobs that never got as far as a version. */
  private List<LifeEntry> entries(String name, Lives found) {
    Map<String, Life> current = new LinkedHashMap<>();
    found.current().forEach(life -> current.put(life.id(), life));
    List<LifeEntry> sorted = new ArrayList<>();
    current.values().forEach(life -> sorted.add(entry(found, life, LifeEntry.State.CURRENT)));
    for (Life life : found.all()) {
      if (!current.containsKey(life.id())) {
        sorted.add(entry(found, life, LifeEntry.State.PAST));
      }
    }
    for (Held file : files) {
      if (file.ownership.lineage().name().equals(name)) {
        assign(file, sorted);
      }
    }
    SharedPlace place = shared;
    if (place != null) {
      place.files().forEach((version, size) -> assign(version, size, sorted));
    }
    return sorted;
  }

  private static LifeEntry entry(Lives found, Life life, LifeEntry.State state) {
    return new LifeEntry(life, state, found);
  }

  /** Every file counts once: for the first life that has its newest version. */
  private static void assign(Held file, List<LifeEntry> sorted) {
    Lineage lineage = file.ownership.lineage();
    Optional<LifeEntry> mine =
        file.versions.isEmpty()
            ? sorted.stream().filter(one -> one.isOf(lineage)).findFirst()
            : having(file.versions.lastKey(), sorted);
    if (mine.isEmpty()) {
      mine = Optional.of(LifeEntry.withoutVersions(lineage));
      sorted.add(mine.get());
    }
    mine.get().add(file);
  }

  private static void assign(VersionId version, SharedPlace.Size size, List<LifeEntry> sorted) {
    having(version, sorted).ifPresent(one -> one.addShared(size));
  }

  private static Optional<LifeEntry> having(VersionId version, List<LifeEntry> sorted) {
    return sorted.stream().filter(one -> one.life().versions().contains(version)).findFirst();
  }

  // ---------------------------------------------------------------- asking

  Path path() {
    return path;
  }

  @Nullable SharedPlace shared() {
    return shared;
  }

  /** What ranks wrote into their containers for a version; empty if none is here. */
  public OptionalLong bytesWritten(VersionId version) {
    return files.stream()
        .filter(file -> file.isState() && file.versions().containsKey(version))
        .mapToLong(file -> file.versions().get(version).bytesWritten())
        .reduce(Long::sum);
  }

  List<Held> files() {
    return files;
  }

  List<String> problems() {
    return problems;
  }

  /** All lives, current ones first. */
  public List<LifeEntry> lives() {
    return entries;
  }

  int fileCount() {
    return entries.stream().mapToInt(LifeEntry::fileCount).sum();
  }

  long bytes() {
    return entries.stream().mapToLong(LifeEntry::bytes).sum();
  }

  /** All versions of which something is here. */
  Collection<VersionId> versions() {
    Set<VersionId> all = new TreeSet<>();
    lives.values().forEach(one -> all.addAll(one.versions()));
    return all;
  }

  /** What was said of a version when it was taken. */
  Label label(VersionId version) {
    for (Held file : files) {
      VersionInfo info = file.versions.get(version);
      if (info != null) {
        return info.label();
      }
    }
    SharedPlace place = shared;
    return place == null ? Label.none() : place.label(version);
  }

  /** Those that are to be kept for ever. */
  Set<VersionId> kept(Collection<VersionId> versions) {
    Set<VersionId> kept = new TreeSet<>();
    versions.stream().filter(id -> label(id).kept()).forEach(kept::add);
    return kept;
  }

  /**
   * The life that a person means.
   *
   * @param id digits of the job or run; null if none were given
   * @return nothing if none were given and there are several that it could be
   */
  public Optional<LifeEntry> choose(@Nullable String id) {
    if (id != null) {
      return Optional.of(called(id));
    }
    List<LifeEntry> current =
        entries.stream().filter(one -> one.state() == LifeEntry.State.CURRENT).toList();
    if (current.size() == 1 || entries.size() == 1) {
      return Optional.of(current.isEmpty() ? entries.getFirst() : current.getFirst());
    }
    List<LifeEntry> restored =
        outlooks().values().stream()
            .flatMap(outlook -> current.stream().filter(one -> one.id().equals(outlook.life())))
            .toList();
    boolean oneName = lives.size() == 1;
    return oneName && restored.size() == 1 ? Optional.of(restored.getFirst()) : Optional.empty();
  }

  private LifeEntry called(String id) {
    String wanted = id.toLowerCase(Locale.ROOT);
    List<LifeEntry> called = entries.stream().filter(one -> one.isCalled(wanted)).toList();
    if (called.isEmpty()) {
      throw new CommandFailedException(
          "%s has no job %s; it has %s".formatted(path, id, describe(entries)));
    }
    List<LifeEntry> current =
        called.stream().filter(one -> one.state() == LifeEntry.State.CURRENT).toList();
    List<LifeEntry> best = current.size() == 1 ? current : called;
    if (best.size() > 1) {
      throw CommandFailedException.ambiguous(
          "%s fits %d lives in %s; write --job %s"
              .formatted(
                  id,
                  best.size(),
                  path,
                  String.join(" or --job ", best.stream().map(LifeEntry::id).toList())));
    }
    return best.getFirst();
  }

  /** Refuses, because there are several lives and a command needs one. */
  CommandFailedException several() {
    return CommandFailedException.ambiguous(
        "%s holds %d lives; say which with --job: %s"
            .formatted(path, entries.size(), describe(entries)));
  }

  private static String describe(List<LifeEntry> entries) {
    return entries.isEmpty()
        ? "none"
        : String.join(", ", entries.stream().map(LifeEntry::describe).toList());
  }

  /** What a restart would do, for every name of a job; nothing if that cannot be said from here. */
  Map<String, Outlook> outlooks() {
    Map<String, Outlook> outlooks = new LinkedHashMap<>();
    // Beside a shared directory that was named alone there are no local ones.
    Directories directories =
        shared != null && shared.path().equals(path)
            ? new NoDirectories(path)
            : new FileDirectories(path);
    try {
      Set<String> names = new TreeSet<>(lives.keySet());
      names.addAll(Outlook.jobs(directories));
      for (String name : names) {
        int ranks = ranks(name);
        if (ranks > 0) {
          Store store = shared == null ? null : shared.store();
          outlooks.put(name, Outlook.of(directories, store, name, ranks));
        }
      }
    } catch (IOException e) {
      problems.add(Explanations.of(e));
    }
    return outlooks;
  }

  /** Where ranks have nothing of their own. */
  private record NoDirectories(Path path) implements Directories {
    @Override
    public Store create(String name) throws IOException {
      throw new NoSuchFileException(name);
    }

    @Override
    public Store open(String name) throws IOException {
      throw new NoSuchFileException(name);
    }

    @Override
    public List<String> names() {
      return List.of();
    }

    @Override
    public String location() {
      return path.toString();
    }
  }

  /**
   * On how many ranks a restart is asked about: as many as the job had last. Nothing is said from
   * inside of the directory of one rank of many.
   */
  private int ranks(String name) throws IOException {
    Optional<JobDirectory> job = JobDirectory.find(path);
    int ranks =
        entries.stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .map(LifeEntry::ranks)
            .orElse(job.map(one -> one.ranks().lastKey() + 1).orElse(1));
    boolean inside = ranks > 1 && job.isEmpty() && !files.isEmpty();
    return inside ? 0 : ranks;
  }
}
