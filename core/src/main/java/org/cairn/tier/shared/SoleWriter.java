// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.cairn.Label;
import org.cairn.clock.Clock;
import org.cairn.store.Store;
import org.cairn.store.StoreLock;
import org.cairn.supply.Closing;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;

/**
 * Writes versions of a job to a shared directory from one process, which has all members at hand:
 * what {@link SharedTier} does for ranks. For one thread.
 *
 * <p>Each writer is a run that goes on from the newest version that is whole.
 *
 * <p>Guarantees that
 *
 * <ol>
 *   <li>of several writers one goes on, the others are refused: on one machine by a lock, at once;
 *       on several by the lease of the job. The lease of a writer of this machine that was killed
 *       is taken at once, because the lock is free;
 *   <li>a version is there when {@link #publish} has returned, and not before its segment is
 *       durable;
 *   <li>what a killed writer left behind goes once a newer version is there.
 * </ol>
 *
 * <p>There are no claims: nobody collects without the lease, and whoever writes has it.
 */
public final class SoleWriter implements AutoCloseable {
  private static final String LOCK = "packs.lock";

  private final Store store;
  private final Clock clock;
  private final JobId job;
  private final SharedDirectory directory;
  private final KnownSegments known = new KnownSegments();
  private final LongSupplier random;
  private final StoreLock lock;
  private final JobLease lease;
  private final Collector collector;
  private final RunId run;
  private final long epoch;

  /** The runs of which a version is there, or was to be. */
  private final Set<RunId> runsThere = new HashSet<>();

  private long sequence;
  private Optional<Manifest> newest;
  private Optional<Lineage> lineage = Optional.empty();

  /**
   * How a directory is written to.
   *
   * @param keep how many versions stay
   * @param rest how long a lease may stay unchanged before somebody takes it
   * @param host the name of this machine
   */
  public record Settings(int keep, Duration rest, String host) {}

  private SoleWriter(
      Store store,
      Clock clock,
      LongSupplier random,
      JobId job,
      Settings settings,
      StoreLock lock,
      JobLease lease)
      throws IOException {
    this.store = store;
    this.clock = clock;
    this.job = job;
    this.random = random;
    this.lock = lock;
    this.lease = lease;
    this.directory = new SharedDirectory(store);
    this.collector =
        new Collector(store, clock, settings.keep, settings.rest, lease::isHeld, known);
    this.newest = directory.list(job, known).versions().stream().findFirst();
    List<VersionId> all = namedVersions();
    manifestVersions().forEach(version -> runsThere.add(version.run()));
    this.run = new RunId(random.getAsLong());
    // Above all names that are there, whatever became of them.
    this.epoch = 1 + all.stream().mapToLong(VersionId::epoch).max().orElse(0);
    this.sequence = all.stream().mapToLong(VersionId::sequence).max().orElse(0);
  }

  /**
   * Becomes the writer of a job in a directory.
   *
   * @param random where random bits come from
   * @throws org.cairn.store.StoreLockedException if a process of this machine is writing
   * @throws IOException also if one of another machine is, or the directory cannot be written
   */
  public static SoleWriter open(
      Store store, Clock clock, LongSupplier random, JobId job, Settings settings)
      throws IOException {
    StoreLock lock = store.lock(LOCK);
    JobLease lease = new JobLease(store, clock, settings.rest, random);
    try {
      String place = store.location(LOCK);
      if (!lease.acquireUnlessHeld(job, settings.host, place)) {
        throw new IOException(
            "%s is being written by another machine, which renews its lease; wait until it has ended, or use another directory"
                .formatted(place));
      }
      return new SoleWriter(store, clock, random, job, settings, lock, lease);
    } catch (IOException | RuntimeException | Error e) {
      close(lease, lock);
      throw e;
    }
  }

  /** Versions that some file is called after, whole or not. */
  private List<VersionId> namedVersions() throws IOException {
    List<VersionId> all = new ArrayList<>();
    for (String name : store.list()) {
      SharedNames.segment(name)
          .map(SharedNames.Segment::version)
          .or(() -> SharedNames.manifestVersion(name))
          .filter(version -> version.job().equals(job))
          .ifPresent(all::add);
    }
    return all;
  }

  private List<VersionId> manifestVersions() throws IOException {
    return store.list().stream()
        .flatMap(name -> SharedNames.manifestVersion(name).stream())
        .filter(version -> version.job().equals(job))
        .toList();
  }

  /** The newest version that is whole: what the next one is compared with. */
  public Optional<Manifest> newest() {
    return newest;
  }

  /** The segments that nothing should be left in after the next version. */
  public Set<String> emptied() {
    return newest.map(Emptying::of).orElse(Set.of());
  }

  /**
   * A version that is being written.
   *
   * @param segment for all its members
   */
  public record Begun(VersionId version, SegmentWriter segment) implements AutoCloseable {
    /** Closes the segment, which is deleted if it was not finished. */
    @Override
    public void close() throws IOException {
      segment.close();
    }
  }

  /** Begins a version of so many members. */
  public Begun begin(int members) throws IOException {
    lease.require(job);
    Lineage own = lineage.isPresent() ? lineage.get() : enter(members);
    lineage = Optional.of(own);
    sequence++;
    VersionId version = new VersionId(job, run, epoch, sequence, members);
    SharedNames.Segment identity = new SharedNames.Segment(version, (int) random.getAsLong(), 0);
    return new Begun(version, SegmentWriter.createFramed(store, clock, identity, own));
  }

  /**
   * The run, which goes on from what is there, whole or not: it is not left behind. Runs before the
   * oldest version that is there are left out: there may have been thousands, and their segments go
   * once nothing needs them.
   */
  private Lineage enter(int members) throws IOException {
    Optional<Manifest> last = newestReadable();
    RunInfo info =
        RunInfo.of(
            run,
            clock.now(),
            members,
            last.map(Manifest::version),
            false,
            List.of(),
            last.map(manifest -> manifest.version().run()));
    return last.map(manifest -> manifest.lineage().continuedBy(info, List.of()).since(runsThere))
        .orElseGet(() -> Lineage.beginning(job, "", info));
  }

  /**
   * Publishes a version whose segment is finished.
   *
   * @return what it is now
   */
  public Manifest publish(Begun begun, Manifest.Group group, Label label) throws IOException {
    lease.require(job);
    Lineage own = lineage.orElseThrow();
    Manifest manifest =
        Manifest.of(begun.version, own, clock.now(), List.of(group)).labelled(label);
    try {
      directory.publish(manifest);
    } catch (FileAlreadyExistsException e) {
      throw e; // somebody else's
    } catch (IOException e) {
      forget(manifest, group, e);
      throw e;
    }
    newest = Optional.of(manifest);
    return manifest;
  }

  /**
   * Of a version that could not be published nothing is to be left: neither what looks like damage,
   * nor what takes space, which may be the reason.
   */
  private void forget(Manifest manifest, Manifest.Group group, IOException reason) {
    try {
      store.delete(manifest.name());
      store.forceDirectory(); // it may not come back without its segment
      store.delete(group.segment());
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /**
   * Deletes versions beyond those that are kept, and what killed writers left behind.
   *
   * @return why not everything went that should; empty if it did
   */
  public Optional<String> collect() throws IOException {
    if (lineage.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> damage = deleteStrays(); // first: they would keep the collector from all else
    return collector
        .collect(lineage.get())
        .obstacle()
        .map("old versions stay for now: %s"::formatted)
        .or(
            () ->
                damage.map(
                    "what nobody needs any more stays for now, for there is damage: %s"
                        ::formatted));
  }

  private Optional<Manifest> newestReadable() throws IOException {
    Manifest found = null;
    for (String name : store.list()) {
      Optional<VersionId> version =
          SharedNames.manifestVersion(name).filter(one -> one.job().equals(job));
      if (version.isPresent() && (found == null || version.get().compareTo(found.version()) > 0)) {
        try {
          found = Manifest.read(store, name);
        } catch (IOException e) {
          // Another one tells.
        }
      }
    }
    return Optional.ofNullable(found);
  }

  /**
   * What a writer was about to add when it was killed is of nobody's life: whoever came next went
   * on from a version that was there, and the collector does not know it. It has no manifest, or
   * one that was not written to its end when whoever came next looked. It goes once a newer version
   * is whole, if all other manifests can be read and none of them needs it. A version with a whole
   * manifest that is damaged was once added: it stays, and so does all that it may need.
   *
   * @return what is damaged
   */
  private Optional<String> deleteStrays() throws IOException {
    SharedDirectory.Listing listing = directory.list(job, known);
    if (listing.versions().isEmpty()) {
      return Optional.empty();
    }
    Manifest last = listing.versions().getFirst();
    Predicate<VersionId> stray =
        version -> !last.lineage().includes(version) && version.compareTo(last.version()) < 0;
    for (SharedDirectory.Problem problem : listing.problems()) {
      if (problem.foreign() || !stray.test(problem.version()) || !isTorn(problem.version())) {
        return Optional.of("version %s: %s".formatted(problem.version(), problem.what()));
      }
    }
    for (SharedDirectory.Problem problem : listing.problems()) {
      delete(SharedNames.manifest(problem.version()));
    }
    store.forceDirectory(); // no manifest may come back without its segments
    Set<String> needed = new HashSet<>();
    for (Manifest manifest : listing.versions()) {
      manifest.references().forEach(reference -> needed.add(reference.segment()));
      manifest.groups().forEach(group -> needed.add(group.segment()));
    }
    for (String name : store.list()) {
      Optional<VersionId> version =
          SharedNames.segment(name)
              .map(SharedNames.Segment::version)
              .filter(one -> one.job().equals(job));
      if (version.filter(stray).isPresent() && !needed.contains(name)) {
        delete(name);
      }
    }
    return Optional.empty();
  }

  private boolean isTorn(VersionId version) {
    try {
      return Manifest.isTorn(store, SharedNames.manifest(version));
    } catch (IOException e) {
      return false;
    }
  }

  private void delete(String name) throws IOException {
    lease.require(job);
    store.delete(name);
  }

  private static void close(JobLease lease, StoreLock lock) throws IOException {
    Closing closing = new Closing();
    closing.then(lease::release);
    closing.then(lock::close);
    closing.end();
  }

  /** Gives the lease back. */
  @Override
  public void close() throws IOException {
    close(lease, lock);
  }
}
