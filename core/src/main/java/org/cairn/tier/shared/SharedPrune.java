// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.clock.Clock;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.JobId;
import org.cairn.version.VersionId;

/**
 * Deletes versions of a job from a shared directory because a person wants it so.
 *
 * <p>Guarantees that
 *
 * <ol>
 *   <li>nothing of another job is touched;
 *   <li>what versions need that are to stay, with a manifest or without, stays; where one of them
 *       cannot be read, everything does;
 *   <li>manifests go before segments: a version is there with all it needs, or not at all, whenever
 *       this is interrupted;
 *   <li>nothing is deleted while somebody else holds the lease of the job, nor once ours is lost.
 * </ol>
 */
public final class SharedPrune {
  private final Store store;
  private final Clock clock;
  private final Duration rest;
  private final long token;

  /**
   * A way to delete.
   *
   * @param rest how long a lease may stay unchanged before it counts as left over
   * @param token random bits
   */
  public SharedPrune(Store store, Clock clock, Duration rest, long token) {
    this.store = store;
    this.clock = clock;
    this.rest = rest;
    this.token = token;
  }

  /** A file that goes, or would. */
  public record Doomed(String file, long bytes) {}

  /**
   * What was, or would be, done.
   *
   * @param obstacle why no more than that; empty if nothing stands in the way
   */
  public record Report(List<Doomed> files, Optional<String> obstacle) {
    /** How much that is. */
    public long bytes() {
      return files.stream().mapToLong(Doomed::bytes).sum();
    }
  }

  /** Says what would be deleted. */
  public Report plan(JobId job, Set<VersionId> versions) throws IOException {
    try {
      return new Report(files(job, versions), Optional.empty());
    } catch (ObstacleException e) {
      return new Report(List.of(), Optional.of(String.valueOf(e.getMessage())));
    }
  }

  /** Deletes versions of a job, with the segments that only they need. */
  public Report delete(JobId job, Set<VersionId> versions) throws IOException {
    return underLease(job, () -> files(job, versions));
  }

  /** The claims of a job, all of which are left over if nobody holds its lease. */
  public List<Doomed> claims(JobId job) throws IOException {
    List<Doomed> claims = new ArrayList<>();
    for (String name : store.list()) {
      if (SharedNames.claim(name).filter(claim -> claim.job().equals(job)).isPresent()) {
        claims.add(doomed(name));
      }
    }
    return claims;
  }

  /** Deletes claims that were left over. */
  public Report deleteClaims(JobId job) throws IOException {
    return underLease(job, () -> claims(job));
  }

  private interface Choice {
    List<Doomed> files() throws IOException;
  }

  private Report underLease(JobId job, Choice choice) throws IOException {
    String who = "cairn prune, process " + ProcessHandle.current().pid();
    Lease lease = new Lease(store, clock, job, rest, token, who, who);
    if (!lease.acquireUnlessHeld()) {
      return new Report(List.of(), Optional.of("the job is running: its lease is renewed"));
    }
    List<Doomed> deleted = new ArrayList<>();
    try {
      delete(choice.files(), lease, deleted);
      return new Report(deleted, Optional.empty());
    } catch (ObstacleException e) {
      return new Report(deleted, Optional.of(String.valueOf(e.getMessage())));
    } finally {
      lease.release();
    }
  }

  private void delete(List<Doomed> files, Lease lease, List<Doomed> deleted) throws IOException {
    boolean manifests = true;
    for (Doomed file : files) {
      if (manifests && SharedNames.manifestVersion(file.file).isEmpty()) {
        manifests = false;
        store.forceDirectory(); // no manifest may come back without its segments
      }
      lease.renew();
      if (!lease.isHeld()) {
        throw new ObstacleException("another run has taken over the lease of the job");
      }
      store.delete(file.file);
      deleted.add(file);
    }
    store.forceDirectory();
  }

  // ---------------------------------------------------------------- what goes

  private static final class ObstacleException extends IOException {
    private static final long serialVersionUID = 1L;

    ObstacleException(String message) {
      super(message);
    }
  }

  /** Manifests first, then segments. */
  private List<Doomed> files(JobId job, Set<VersionId> versions) throws IOException {
    List<String> names =
        store.list().stream()
            .filter(name -> SharedNames.job(name).filter(job::equals).isPresent())
            .toList();
    Set<String> needed = new HashSet<>();
    List<Doomed> files = new ArrayList<>();
    for (String name : names) {
      Optional<VersionId> version = SharedNames.manifestVersion(name);
      if (version.isPresent() && versions.contains(version.get())) {
        files.add(doomed(name));
      } else if (version.isPresent()) {
        needed.addAll(neededByManifest(name));
      }
    }
    for (String name : names) {
      Optional<SharedNames.Segment> segment = SharedNames.segment(name);
      if (segment.isPresent() && !versions.contains(segment.get().version())) {
        needed.addAll(neededBySegment(name));
      }
    }
    for (String name : names) {
      Optional<SharedNames.Segment> segment = SharedNames.segment(name);
      if (segment.isPresent()
          && versions.contains(segment.get().version())
          && !needed.contains(name)) {
        files.add(doomed(name));
      }
    }
    return files;
  }

  private Set<String> neededByManifest(String name) throws IOException {
    Set<String> needed = new HashSet<>();
    try {
      Manifest manifest = Manifest.read(store, name);
      manifest.references().forEach(reference -> needed.add(reference.segment()));
      manifest.groups().forEach(group -> needed.add(group.segment()));
    } catch (NoSuchFileException e) {
      // Collected since we saw its name.
    } catch (IOException e) {
      throw new ObstacleException(name + " stays and cannot be read: " + e.getMessage());
    }
    return needed;
  }

  private Set<String> neededBySegment(String name) throws IOException {
    Set<String> needed = new HashSet<>(Set.of(name));
    try (SegmentReader segment = SegmentReader.open(store, name)) {
      segment.references().forEach(reference -> needed.add(reference.segment()));
    } catch (NoSuchFileException | CorruptContainerException e) {
      // Gone, or never finished: nobody can use it to find others.
    } catch (IOException e) {
      throw new ObstacleException(name + " stays and cannot be read: " + e.getMessage());
    }
    return needed;
  }

  private Doomed doomed(String name) {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      return new Doomed(name, file.size());
    } catch (IOException e) {
      return new Doomed(name, 0);
    }
  }
}
