// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.cairn.Label;
import org.cairn.UnsupportedFormatException;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionId;

/**
 * The versions in a shared directory, of however many jobs.
 *
 * <p>Keeps nothing in memory: many processes may look at the directory, and files may go at any
 * time because a {@link Collector} is at work; who writes there {@linkplain KnownSegments knows}
 * more. What is said of a version was read from its own files: a segment that another manifest knew
 * under the same name and size is found out by the checksum of its footer. Safe for use by many
 * threads.
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

  /**
   * A version that cannot be used as it is, and why.
   *
   * @param version as the name of the file has it
   * @param foreign whether another release or machine can read it
   */
  public record Problem(VersionId version, String what, boolean foreign) {
    static Problem of(VersionId version, IOException reason) {
      boolean foreign = reason instanceof UnsupportedFormatException other && other.isOurs();
      return new Problem(version, String.valueOf(reason.getMessage()), foreign);
    }
  }

  /**
   * A version, whole or not.
   *
   * @param takenAt when it was taken; when a segment of it was begun, if nothing else is known
   * @param lineage of the run that took it
   * @param label what a person says of it, as far as it is known
   * @param roots the root digests of its ranks, as far as they are known
   * @param problem why it cannot be produced; empty if it can
   */
  public record Sighting(
      VersionId id,
      Instant takenAt,
      Lineage lineage,
      Label label,
      Map<Integer, Digest> roots,
      Optional<String> problem) {
    /** Copies the map. */
    public Sighting {
      roots = Map.copyOf(roots);
    }
  }

  /**
   * Everything that is in a directory.
   *
   * @param versions those of which somebody can be said to have taken them, newest first
   * @param problems files of which nothing can be said but what their names say
   */
  public record Survey(List<Sighting> versions, List<Problem> problems) {}

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
   * All versions that can be used, of all jobs. A manifest that is just being written counts as
   * damaged; so does one of which a segment is missing, or is not the one that it was made for.
   */
  public Listing list() throws IOException {
    return list(store.list(), _ -> true, new Footers(store));
  }

  /** Those of a job, for who begins another flush and knows some of it. */
  Listing list(JobId job, KnownSegments known) throws IOException {
    List<String> names = store.list();
    known.nextFlush(Set.copyOf(names));
    return list(names, version -> version.job().equals(job), new Footers(store, known));
  }

  private Listing list(List<String> names, Predicate<VersionId> wanted, Footers footers)
      throws IOException {
    List<Manifest> versions = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    for (VersionId version : manifests(names, wanted)) {
      try {
        Manifest manifest = Manifest.read(store, SharedNames.manifest(version));
        Optional<String> missing = footers.problem(manifest.references());
        if (missing.isEmpty()) {
          versions.add(manifest);
        } else {
          problems.add(new Problem(version, missing.get(), false));
        }
      } catch (NoSuchFileException e) {
        // Collected since we saw its name.
      } catch (IOException e) {
        problems.add(Problem.of(version, e));
      }
    }
    return new Listing(versions, problems);
  }

  /** The versions that have a manifest, readable or not, newest first. */
  private static List<VersionId> manifests(List<String> names, Predicate<VersionId> wanted) {
    return names.stream()
        .flatMap(name -> SharedNames.manifestVersion(name).stream())
        .filter(wanted)
        .sorted(Comparator.reverseOrder())
        .toList();
  }

  /**
   * The manifest of a version, made anew if need be.
   *
   * @throws IOException if the version is not there, or not whole
   */
  public Manifest find(VersionId version) throws IOException {
    Listing listing = list(store.list(), version::equals, new Footers(store));
    if (!listing.versions().isEmpty()) {
      return listing.versions().getFirst();
    }
    Optional<Manifest> made = reconstruct(version, store.list(), new Footers(store));
    if (made.isPresent()) {
      return made.get();
    }
    throw new IOException(
        "version %s cannot be had from the shared directory%s"
            .formatted(
                version.exact(),
                listing.problems().isEmpty()
                    ? "; it is not there"
                    : ": " + listing.problems().getFirst().what()));
  }

  /**
   * The manifest of a version, made anew if need be. Unlike {@link #find} it does not look at the
   * segments of ranks that the caller does not care for: thousands of ranks come here at once.
   *
   * @throws IOException if the version is not there
   */
  Manifest manifest(VersionId version) throws IOException {
    try {
      return Manifest.read(store, SharedNames.manifest(version));
    } catch (IOException e) {
      return find(version);
    }
  }

  /** Reads something of a version. */
  interface Reading<T> {
    T read(Manifest manifest) throws IOException;
  }

  /**
   * Reads something of a version; by a manifest that is made anew if the one that is there fails.
   */
  <T> T reading(VersionId version, Reading<T> reading) throws IOException {
    Manifest manifest = manifest(version);
    try {
      return reading.read(manifest);
    } catch (IOException e) {
      Manifest whole = find(version); // which says what is wrong with the version, or
      if (whole.equals(manifest)) {
        throw e;
      }
      return reading.read(whole);
    }
  }

  /** The jobs for which somebody writes here, or died doing so: who ends gives the lease back. */
  public Set<JobId> jobsAtWork() throws IOException {
    Map<JobId, SharedNames.LeaseName> newest = new HashMap<>();
    for (String name : store.list()) {
      SharedNames.lease(name)
          .ifPresent(
              lease -> newest.merge(lease.job(), lease, (a, b) -> a.number() > b.number() ? a : b));
    }
    Set<JobId> jobs = new HashSet<>();
    for (SharedNames.LeaseName lease : newest.values()) {
      if (!isGivenBack(lease)) {
        jobs.add(lease.job());
      }
    }
    return jobs;
  }

  private boolean isGivenBack(SharedNames.LeaseName lease) throws IOException {
    try {
      byte[] bytes = LeaseFiles.read(store, lease.name());
      return LeaseRecord.parse(bytes, store.location(lease.name()))
          .filter(LeaseRecord::givenBack)
          .isPresent();
    } catch (NoSuchFileException e) {
      return false; // somebody has just taken over
    }
  }

  /** Looks at all files of all jobs. */
  public Survey survey() throws IOException {
    List<String> names = store.list();
    Footers footers = new Footers(store);
    Map<VersionId, Sighting> found = new TreeMap<>(Comparator.reverseOrder());
    List<Problem> problems = new ArrayList<>();
    for (VersionId version : manifests(names, _ -> true)) {
      try {
        Manifest manifest = Manifest.read(store, SharedNames.manifest(version));
        found.put(version, sighting(manifest, footers.problem(manifest.references())));
      } catch (NoSuchFileException e) {
        // Collected since we saw its name.
      } catch (IOException e) {
        problems.add(Problem.of(version, e));
      }
    }
    for (VersionId version : segmentVersions(names)) {
      Sighting known = found.get(version);
      if (known == null || known.problem().isPresent()) {
        surveySegments(version, names, footers, found, problems);
      }
    }
    return new Survey(List.copyOf(found.values()), problems);
  }

  private static Sighting sighting(Manifest manifest, Optional<String> problem) {
    Map<Integer, Digest> roots = new HashMap<>();
    for (Manifest.Group group : manifest.groups()) {
      for (int i = 0; i < group.ranks().size(); i++) {
        roots.put(group.ranks().get(i), group.roots().get(i));
      }
    }
    return new Sighting(
        manifest.version(),
        manifest.takenAt(),
        manifest.lineage(),
        manifest.label(),
        roots,
        problem);
  }

  /** A version without a manifest that can be used: what its segments tell. */
  private void surveySegments(
      VersionId version,
      List<String> names,
      Footers footers,
      Map<VersionId, Sighting> found,
      List<Problem> problems)
      throws IOException {
    Optional<Manifest> made = reconstruct(version, names, footers);
    if (made.isPresent()) {
      found.put(version, sighting(made.get(), Optional.empty()));
      problems.removeIf(problem -> problem.version().equals(version));
      return;
    }
    for (String name : segmentsOf(version, names)) {
      try (SegmentReader segment = SegmentReader.open(store, name)) {
        Manifest.Group group = segment.toGroup();
        Map<Integer, Digest> roots = new HashMap<>();
        for (int i = 0; i < group.ranks().size(); i++) {
          roots.put(group.ranks().get(i), group.roots().get(i));
        }
        found.putIfAbsent(
            version,
            new Sighting(
                version,
                group.takenAt(),
                segment.lineage(),
                Label.none(),
                roots,
                Optional.of("there is no manifest, and not all of its segments")));
      } catch (NoSuchFileException e) {
        // Collected since we saw its name.
      } catch (IOException e) {
        if (!isToldByBeginning(version, name, e, found)) {
          problems.add(Problem.of(version, e));
        }
      }
    }
  }

  /**
   * A segment that is being written, or was when its writer died, tells by its beginning whose it
   * is: others need not mind it. One that has not even that holds nothing, and is nobody's.
   */
  private boolean isToldByBeginning(
      VersionId version, String name, IOException reason, Map<VersionId, Sighting> found) {
    String location = store.location(name);
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      if (Header.isCut(file, location)) {
        return true;
      }
      Header header = Header.read(file, location, SegmentFormat.SEGMENT_MAGIC, "segment");
      Sighting sighting =
          new Sighting(
              version,
              header.createdAt(),
              header.lineage(),
              Label.none(),
              Map.of(),
              Optional.of(String.valueOf(reason.getMessage())));
      return header.version().equals(version) && found.putIfAbsent(version, sighting) == null;
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static Set<VersionId> segmentVersions(List<String> names) {
    Set<VersionId> versions = new TreeSet<>(Comparator.reverseOrder());
    for (String name : names) {
      SharedNames.segment(name)
          .filter(segment -> !segment.ofIndices())
          .ifPresent(segment -> versions.add(segment.version()));
    }
    return versions;
  }

  /**
   * Manifests made anew for versions that have none that can be used, newest first: those of which
   * valid segments of one flush cover all ranks, with all that they refer to. They are not written.
   * Such a version may never have been published, or its manifest was collected; its data are whole
   * all the same. For when no better version is left.
   */
  public List<Manifest> reconstruct() throws IOException {
    Set<VersionId> known = new HashSet<>();
    list().versions().forEach(manifest -> known.add(manifest.version()));
    List<String> names = store.list();
    Footers footers = new Footers(store);
    List<Manifest> made = new ArrayList<>();
    for (VersionId version : segmentVersions(names)) {
      if (!known.contains(version)) {
        reconstruct(version, names, footers).ifPresent(made::add);
      }
    }
    return made;
  }

  /** Only segments of one flush belong together: each flush has a token of its own. */
  Optional<Manifest> reconstruct(VersionId version, List<String> names, Footers footers)
      throws IOException {
    Map<Integer, List<String>> flushes = new TreeMap<>();
    for (String name : segmentsOf(version, names)) {
      int token = SharedNames.segment(name).orElseThrow().token();
      flushes.computeIfAbsent(token, _ -> new ArrayList<>()).add(name);
    }
    for (List<String> segments : flushes.values()) {
      Optional<Manifest> made = reconstruct(segments, footers);
      if (made.isPresent()) {
        return made;
      }
    }
    return Optional.empty();
  }

  private Optional<Manifest> reconstruct(List<String> segments, Footers footers)
      throws IOException {
    List<Manifest.Group> groups = new ArrayList<>();
    Set<Lineage> lineages = new HashSet<>();
    VersionId version = null;
    Instant begun = Instant.EPOCH;
    for (String name : segments) {
      try (SegmentReader segment = SegmentReader.open(store, name)) {
        groups.add(segment.toGroup());
        lineages.add(segment.lineage());
        version = segment.version();
        begun = begun.isAfter(segment.createdAt()) ? begun : segment.createdAt();
      } catch (IOException e) {
        return Optional.empty();
      }
    }
    if (version == null
        || lineages.size() != 1
        || !Manifest.coversAllRanks(version.ranks(), groups)) {
      return Optional.empty();
    }
    Manifest manifest =
        Manifest.of(version, lineages.iterator().next(), begun, groups)
            .labelled(labelIn(groups.getFirst()));
    return footers.problem(manifest.references()).isEmpty()
        ? Optional.of(manifest)
        : Optional.empty();
  }

  /** What the ranks of a group say of the version, all alike. */
  private Label labelIn(Manifest.Group group) {
    try (SegmentReader segment = SegmentReader.open(store, group.segment())) {
      MemberIndex index = segment.member(group.ranks().getFirst());
      return MemberState.head(segment, index).info().label();
    } catch (IOException e) {
      return Label.none();
    }
  }

  private static List<String> segmentsOf(VersionId version, List<String> names) {
    return names.stream()
        .filter(
            name ->
                SharedNames.segment(name)
                    .filter(segment -> segment.version().equals(version) && !segment.ofIndices())
                    .isPresent())
        .toList();
  }

  /**
   * When those blocks of a version were read and verified that were not for the longest time; empty
   * if no file tells. Reads footers only.
   */
  public Optional<Instant> oldestVerification(Manifest manifest) throws IOException {
    Optional<Instant> oldest = Optional.empty();
    for (Manifest.Group group : manifest.groups()) {
      try (SegmentReader segment = SegmentReader.open(store, group.segment())) {
        Optional<Instant> here = segment.oldestVerification();
        if (here.isPresent() && (oldest.isEmpty() || here.get().isBefore(oldest.get()))) {
          oldest = here;
        }
      }
    }
    return oldest;
  }

  /** The size of the state of all ranks of a version. Reads indices, no blocks. */
  public long protectedBytes(Manifest manifest) throws IOException {
    long bytes = 0;
    for (Manifest.Group group : manifest.groups()) {
      try (SegmentReader segment = SegmentReader.open(store, group.segment())) {
        for (int rank : group.ranks()) {
          VersionHead head = MemberState.head(segment, segment.member(rank));
          bytes += head.info().protectedBytes();
        }
      }
    }
    return bytes;
  }
}
