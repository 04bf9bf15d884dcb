// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.UnsupportedFormatException;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.VersionId;

/**
 * The versions in a shared directory.
 *
 * <p>Keeps nothing in memory: many processes may look at the directory, and files may go at any
 * time because a {@link Collector} is at work. Safe for use by many threads.
 */
public final class SharedDirectory {

  private final Store store;

  /** The versions behind this store. */
  public SharedDirectory(Store store) {
    this.store = store;
  }

  /**
   * What was found.
   *
   * @param versions the complete ones, newest first
   * @param problems what ails the others, newest first, for people
   */
  public record Listing(List<Manifest> versions, List<Problem> problems) {}

  /** A version that cannot be used as it is, and why. */
  public record Problem(VersionId version, String what) {}

  /**
   * How a segment is used.
   *
   * @param size the bytes of the file
   * @param newest how many of them are blocks of the newest version
   * @param most the same for the version that has most there; all versions together have at least
   *     that many
   */
  public record Use(long size, long newest, long most) {}

  /**
   * Publishes a version whose segments are finished. When this returns, the version is durable. If
   * it fails, the version may be there or not.
   *
   * @throws java.nio.file.FileAlreadyExistsException if the version was published before
   */
  public void publish(Manifest manifest) throws IOException {
    // Names of segments first: a manifest must never survive a crash that they do not.
    store.forceDirectory();
    manifest.write(store);
    store.forceDirectory();
  }

  /**
   * All versions that can be used. A manifest that is just being written counts as damaged; so does
   * one of which a segment is missing or has the wrong size.
   */
  public Listing list() throws IOException {
    List<Manifest> versions = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    Map<String, Long> sizes = new HashMap<>();
    for (VersionId version : manifests()) {
      try {
        Manifest manifest = Manifest.read(store, SegmentFormat.manifestName(version));
        Optional<String> missing = missing(manifest.references(), sizes);
        if (missing.isEmpty()) {
          versions.add(manifest);
        } else {
          problems.add(new Problem(version, missing.get()));
        }
      } catch (CorruptContainerException | UnsupportedFormatException e) {
        problems.add(new Problem(version, String.valueOf(e.getMessage())));
      } catch (NoSuchFileException e) {
        // Collected since we saw its name.
      }
    }
    return new Listing(versions, problems);
  }

  /** The versions that have a manifest, readable or not, newest first. */
  List<VersionId> manifests() throws IOException {
    return store.list().stream()
        .flatMap(name -> SegmentFormat.manifestVersion(name).stream())
        .sorted(Comparator.reverseOrder())
        .toList();
  }

  /** What is wrong with the first segment that is missing or has the wrong size. */
  private Optional<String> missing(List<Reference> references, Map<String, Long> sizes)
      throws IOException {
    for (Reference reference : references) {
      Long size = sizes.get(reference.segment());
      if (size == null) {
        size = sizeOf(reference.segment());
        sizes.put(reference.segment(), size);
      }
      if (size != reference.size()) {
        return Optional.of(
            "expected segment %s of %d bytes, found %s"
                .formatted(
                    store.location(reference.segment()),
                    reference.size(),
                    size < 0 ? "none" : size + " bytes"));
      }
    }
    return Optional.empty();
  }

  /** The size of a file; -1 if there is none. */
  private long sizeOf(String name) throws IOException {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      return file.size();
    } catch (NoSuchFileException e) {
      return -1;
    }
  }

  /**
   * Manifests made anew for versions that have none that can be read, newest first: those of which
   * valid segments cover all ranks, with all that they refer to. They are not written. Such a
   * version may never have been published, or its manifest was collected; its data are whole all
   * the same. For when no better version is left.
   */
  public List<Manifest> reconstruct() throws IOException {
    List<VersionId> known = list().versions().stream().map(Manifest::version).toList();
    Set<VersionId> candidates = new TreeSet<>(Comparator.reverseOrder());
    List<String> names = store.list();
    for (String name : names) {
      SegmentFormat.segmentVersion(name)
          .filter(version -> known.stream().noneMatch(other -> other.compareTo(version) == 0))
          .ifPresent(candidates::add);
    }
    List<Manifest> made = new ArrayList<>();
    for (VersionId version : candidates) {
      reconstruct(version, names).ifPresent(made::add);
    }
    return made;
  }

  private Optional<Manifest> reconstruct(VersionId version, List<String> names) throws IOException {
    List<Manifest.Group> groups = new ArrayList<>();
    Optional<VersionId> full = Optional.empty();
    Instant takenAt = Instant.EPOCH;
    for (String name : segmentsOf(version, names)) {
      try (SegmentReader segment = SegmentReader.open(store, name)) {
        groups.add(segment.toGroup());
        full = Optional.of(segment.version());
        takenAt = takenAt.isAfter(segment.createdAt()) ? takenAt : segment.createdAt();
      } catch (CorruptContainerException | UnsupportedFormatException | NoSuchFileException e) {
        return Optional.empty();
      }
    }
    if (full.isEmpty() || !Manifest.coversAllRanks(full.get().ranks(), groups)) {
      return Optional.empty();
    }
    Manifest manifest = Manifest.of(full.get(), takenAt, groups);
    return missing(manifest.references(), new HashMap<>()).isEmpty()
        ? Optional.of(manifest)
        : Optional.empty();
  }

  static List<String> segmentsOf(VersionId version, List<String> names) {
    return names.stream()
        .filter(
            name ->
                SegmentFormat.segmentVersion(name)
                    .filter(other -> other.compareTo(version) == 0)
                    .isPresent())
        .toList();
  }

  /**
   * How much of each segment the given versions need. A flush may treat blocks in segments of which
   * little is left as dirty: it writes them anew, and the old segment can go once the versions that
   * need it have gone.
   *
   * @param versions versions, newest first, as {@link #list} gives them
   */
  public static Map<String, Use> use(List<Manifest> versions) {
    Map<String, Use> use = new TreeMap<>();
    for (Manifest version : versions) {
      boolean newest = version == versions.getFirst();
      for (Reference reference : version.references()) {
        long live = reference.liveBytes();
        use.merge(
            reference.segment(),
            new Use(reference.size(), newest ? live : 0, live),
            (a, b) -> new Use(a.size, Math.max(a.newest, b.newest), Math.max(a.most, b.most)));
      }
    }
    return use;
  }
}
