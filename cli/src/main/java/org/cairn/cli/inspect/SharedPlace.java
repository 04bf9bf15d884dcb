// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.cairn.Label;
import org.cairn.cli.command.Explanations;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.tier.shared.FrameUse;
import org.cairn.tier.shared.Manifest;
import org.cairn.tier.shared.SegmentReader;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.tier.shared.SharedNames;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Sighting;
import org.cairn.version.VersionId;

/** What lies in a shared directory, of however many jobs: looked at, not believed. */
public final class SharedPlace {
  private final Path path;
  private final Store store;
  private final SharedDirectory directory;
  private final SharedDirectory.Survey survey;
  private final List<Unreadable> unreadable;
  private final Set<VersionId> underWay;
  private final Set<VersionId> outlived;

  private SharedPlace(Path path, Store store) throws IOException {
    this.path = path;
    this.store = store;
    this.directory = new SharedDirectory(store);
    // Before looking: a flush that ends meanwhile was at work when its files were seen.
    Set<JobId> writing = directory.jobsAtWork();
    this.survey = directory.survey();
    Set<String> used = new HashSet<>();
    this.unreadable = new ArrayList<>(findUnreadable(used));
    this.outlived = findOutlived(used);
    this.underWay = findUnderWay(writing);
    unreadable.removeIf(file -> underWay.contains(file.version));
  }

  /**
   * Versions that a flush has begun to write and not published yet, or never did because its
   * program was killed: newer than all that are whole, of a job whose lease was not given back.
   */
  private Set<VersionId> findUnderWay(Set<JobId> writing) {
    Map<JobId, VersionId> newest = new HashMap<>();
    whole().forEach(id -> newest.merge(id.job(), id, (a, b) -> a.compareTo(b) > 0 ? a : b));
    Set<VersionId> found = new TreeSet<>();
    unreadable.forEach(file -> found.add(file.version));
    found.addAll(versions(one -> one.problem().isPresent()));
    found.removeIf(
        id -> {
          VersionId last = newest.get(id.job());
          return !writing.contains(id.job()) || last != null && last.compareTo(id) > 0;
        });
    return found;
  }

  /** Versions that were dropped, of which stays what newer ones use. */
  private Set<VersionId> findOutlived(Set<String> used) throws IOException {
    Set<VersionId> found = versions(one -> one.problem().isPresent());
    for (String name : store.list()) {
      SharedNames.manifestVersion(name).ifPresent(found::remove);
      if (!used.contains(name)) {
        SharedNames.segment(name).map(SharedNames.Segment::version).ifPresent(found::remove);
      }
    }
    return found;
  }

  /**
   * A file that cannot be read, though what it tells may be known from others.
   *
   * @param name of the file
   * @param version what it belongs to, as its name has it
   */
  record Unreadable(String name, VersionId version, IOException why) {}

  /**
   * Manifests first; segments only of versions that cannot be produced without them.
   *
   * @param used gets the segments of whole versions
   */
  private List<Unreadable> findUnreadable(Set<String> used) throws IOException {
    List<Unreadable> found = new ArrayList<>();
    Set<VersionId> whole = whole();
    for (String name : store.list()) {
      Optional<VersionId> manifest = SharedNames.manifestVersion(name);
      Optional<VersionId> segment = SharedNames.segment(name).map(SharedNames.Segment::version);
      if (manifest.isPresent()) {
        Set<String> its = whole.contains(manifest.get()) ? used : new HashSet<>();
        read(name, manifest.get(), () -> its.addAll(segments(Manifest.read(store, name))), found);
      } else if (segment.isPresent() && !whole.contains(segment.get())) {
        read(name, segment.get(), () -> SegmentReader.open(store, name).close(), found);
      }
    }
    return found;
  }

  private static Set<String> segments(Manifest manifest) {
    Set<String> segments = new HashSet<>();
    manifest.references().forEach(reference -> segments.add(reference.segment()));
    manifest.groups().forEach(group -> segments.add(group.segment()));
    return segments;
  }

  private interface Reading {
    void run() throws IOException;
  }

  private static void read(
      String name, VersionId version, Reading reading, List<Unreadable> found) {
    try {
      reading.run();
    } catch (NoSuchFileException e) {
      // Collected since we saw its name.
    } catch (IOException e) {
      found.add(new Unreadable(name, version, e));
    }
  }

  /** Whether a directory is one that jobs flush to. */
  public static boolean isOne(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return false;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path, SharedPlace::isOfJob)) {
      return files.iterator().hasNext();
    }
  }

  private static boolean isOfJob(Path file) {
    return SharedNames.job(String.valueOf(file.getFileName())).isPresent();
  }

  /** Looks at a shared directory. */
  public static SharedPlace open(Path path) throws IOException {
    return new SharedPlace(path, DirectoryStore.open(path, false));
  }

  Path path() {
    return path;
  }

  /** The directory itself. */
  public Store store() {
    return store;
  }

  /** The files that cannot be read. */
  List<Unreadable> unreadable() {
    return unreadable;
  }

  List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (Unreadable file : unreadable) {
      boolean spare = whole().contains(file.version);
      problems.add(
          "version %s: %s%s"
              .formatted(
                  file.version.exact(),
                  Explanations.of(file.why),
                  spare ? "; the version is whole: its segments tell the same" : ""));
    }
    for (SharedDirectory.Sighting one : survey.versions()) {
      if (underWay.contains(one.id()) || outlived.contains(one.id())) {
        continue;
      }
      one.problem()
          .ifPresent(
              what -> problems.add("version %s in %s: %s".formatted(one.id().exact(), path, what)));
    }
    return problems;
  }

  Set<String> names() {
    Set<String> names = new TreeSet<>();
    survey.versions().forEach(one -> names.add(one.lineage().name()));
    return names;
  }

  void collect(String name, Collection<Sighting> seen, Collection<Lineage> lineages) {
    for (SharedDirectory.Sighting one : survey.versions()) {
      if (one.lineage().name().equals(name)) {
        seen.add(new Sighting(one.id(), one.takenAt()));
        lineages.add(one.lineage());
      }
    }
  }

  /** All versions of which something is here, newest first, but for those under way or dropped. */
  Set<VersionId> all() {
    return versions(
        one ->
            one.problem().isEmpty()
                || !underWay.contains(one.id()) && !outlived.contains(one.id()));
  }

  /** The versions that can be produced from here. */
  Set<VersionId> whole() {
    return versions(one -> one.problem().isEmpty());
  }

  private Set<VersionId> versions(Predicate<SharedDirectory.Sighting> wanted) {
    Set<VersionId> versions = new LinkedHashSet<>();
    survey.versions().stream()
        .filter(wanted)
        .map(SharedDirectory.Sighting::id)
        .forEach(versions::add);
    return versions;
  }

  /** What was said of a version when it was taken, as far as it is known. */
  Label label(VersionId version) {
    return survey.versions().stream()
        .filter(one -> one.id().equals(version))
        .map(SharedDirectory.Sighting::label)
        .findFirst()
        .orElse(Label.none());
  }

  /** The lineage of a version that is here. */
  Optional<Lineage> lineage(VersionId version) {
    return survey.versions().stream()
        .filter(one -> one.id().equals(version))
        .map(SharedDirectory.Sighting::lineage)
        .findFirst();
  }

  /** The ranks whose state of a version can be produced from here. */
  SortedSet<Integer> ranks(VersionId version) {
    SortedSet<Integer> ranks = new TreeSet<>();
    if (whole().contains(version)) {
      for (int rank = 0; rank < version.ranks(); rank++) {
        ranks.add(rank);
      }
    }
    return ranks;
  }

  /** How many files, and how many bytes they have. */
  record Size(int files, long bytes) {
    Size plus(Size other) {
      return new Size(files + other.files, bytes + other.bytes);
    }
  }

  /** The segments and manifests of each version. */
  SortedMap<VersionId, Size> files() {
    SortedMap<VersionId, Size> sizes = new TreeMap<>();
    try {
      for (String name : store.list()) {
        Optional<VersionId> version =
            SharedNames.segment(name)
                .map(SharedNames.Segment::version)
                .or(() -> SharedNames.manifestVersion(name));
        if (version.isPresent()) {
          sizes.merge(version.get(), new Size(1, size(name)), Size::plus);
        }
      }
    } catch (IOException e) {
      // Then sizes are not known; what matters was read before.
    }
    return sizes;
  }

  private long size(String name) {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      return file.size();
    } catch (IOException e) {
      return 0;
    }
  }

  /** The size of the state of all ranks of a version; 0 if that cannot be told. */
  long protectedBytes(VersionId version) {
    try {
      return whole().contains(version) ? directory.protectedBytes(directory.find(version)) : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  /** For every version that is whole and lies in frames, what a restart reads of them. */
  Map<VersionId, FrameUse> frames(Collection<VersionId> versions) throws IOException {
    Map<VersionId, FrameUse> uses = new TreeMap<>();
    for (VersionId version : whole()) {
      if (versions.contains(version)) {
        FrameUse.of(store(), version).ifPresent(use -> uses.put(version, use));
      }
    }
    return uses;
  }

  /** For every version that is whole, when the blocks were verified that were not for longest. */
  Map<VersionId, Instant> verifications(Collection<VersionId> versions) throws IOException {
    Map<VersionId, Instant> oldest = new TreeMap<>();
    for (VersionId version : whole()) {
      if (versions.contains(version)) {
        directory
            .oldestVerification(directory.find(version))
            .ifPresent(time -> oldest.put(version, time));
      }
    }
    return oldest;
  }
}
