// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.cairn.Compression;
import org.cairn.CorruptContainerException;
import org.cairn.Label;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.store.Store;
import org.cairn.tier.Deltas;
import org.cairn.tier.Home;
import org.cairn.tier.Tier;
import org.cairn.version.JobId;
import org.cairn.version.VersionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps versions in a directory that all ranks see, as immutable segments: one for each group of
 * ranks and version, with the blocks that changed since the version flushed before. The first rank
 * of a group writes for all of them.
 *
 * <p>Blocks that lie in segments of which little is still needed, or in the smallest of many, are
 * written again; so old segments become free in the end, and there are never many. What is written
 * otherwise is what changed since the version before, and an index of that: nothing that grows with
 * the state is read or written, but for every 64th flush.
 *
 * <p>Assumes that rank 0 holds the local locks of what it names in {@link #acquire}, and that a job
 * acquires before it enters a run, or is a new one that nobody else can know.
 *
 * <p>Guarantees, beside those of {@link Tier}:
 *
 * <ol>
 *   <li>many jobs use one directory, and none reads, compares with or deletes what is not of its
 *       own life;
 *   <li>a directory that is not the same for all ranks is refused when the tier is opened, and a
 *       version is published only after each of its segments was seen by another rank;
 *   <li>once another run has taken over the lease of the job, every {@link #protect} fails on all
 *       ranks, and nothing is deleted;
 *   <li>a directory that cannot be written to is a source only: nothing is tried there.
 * </ol>
 */
public final class SharedTier implements Tier {
  private static final Logger LOG = LoggerFactory.getLogger(SharedTier.class);

  private final Communicator comm;
  private final Communicator group;
  private final int groupNumber;
  private final Home home;
  private final Store shared;

  /** Only rank 0 acquires. */
  private final JobLease lease;

  private final SharedDirectory directory;
  private final Collector collector;
  private final Witnesses witnesses;
  private final Clock clock;
  private final LongSupplier random;
  private final boolean sourceOnly;

  /** How frames are made; empty if blocks are stored as they are. */
  private final Optional<Framing> framing;

  private final FlushMemory memory = new FlushMemory();
  private final KnownSegments known = new KnownSegments();
  private volatile Consumer<ScrubReport> scrubListener = _ -> {};

  private SharedTier(
      Communicator comm, Home home, Store shared, Tiers tiers, Clock clock, boolean sourceOnly) {
    this.comm = comm;
    this.groupNumber = comm.rank() / tiers.sharedGroup();
    this.group = comm.split(groupNumber, comm.rank());
    this.home = home;
    this.shared = shared;
    this.lease = new JobLease(shared, clock, tiers.leaseRest(), home.random());
    this.directory = new SharedDirectory(shared);
    this.collector =
        new Collector(shared, clock, tiers.sharedRetain(), tiers.leaseRest(), lease::isHeld, known);
    this.witnesses = new Witnesses(comm, shared, new Lookout(clock, tiers.visibility()));
    this.clock = clock;
    this.random = home.random();
    this.sourceOnly = sourceOnly;
    Compression compression = tiers.compression();
    this.framing =
        compression.equals(Compression.none())
            ? Optional.empty()
            : Optional.of(new Framing(compression, tiers.frame()));
  }

  /**
   * The tier of one rank; collective.
   *
   * @param comm for this tier alone; stays the caller's to close
   * @param home where the rank's own container is
   * @param tiers the settings, with the directory that all ranks see
   * @throws IOException on all ranks alike, if the directory is not the same for all of them
   */
  public static SharedTier open(Communicator comm, Home home, Tiers tiers, Clock clock)
      throws IOException {
    Store shared = Objects.requireNonNull(tiers.shared(), "a shared directory");
    refusePacks(shared);
    boolean writable = new Mark(comm, shared, clock, tiers.visibility()).check(home.random());
    if (!writable && comm.rank() == 0) {
      LOG.warn(
          "the shared directory cannot be written to: versions are read from it, and none is flushed");
    }
    return new SharedTier(comm, home, shared, tiers, clock, !writable);
  }

  /** Whoever looks at a directory of packs sees files, and would not see the job among them. */
  private static void refusePacks(Store shared) throws IOException {
    List<JobId> jobs =
        shared.list().stream().flatMap(name -> SharedNames.job(name).stream()).distinct().toList();
    if (jobs.equals(List.of(SharedNames.PACKS))) {
      throw new IOException(
          "%s is a directory of packs; give the job a shared directory of its own"
              .formatted(shared.location()));
    }
  }

  @Override
  public TierKind kind() {
    return TierKind.SHARED;
  }

  @Override
  public boolean isInDirectories() {
    return false;
  }

  /** Whether versions can only be read from the directory; the same on all ranks. */
  public boolean isSourceOnly() {
    return sourceOnly;
  }

  /** Is told what was verified beside each flush, on the thread of the flush. */
  public void onScrub(Consumer<ScrubReport> listener) {
    scrubListener = listener;
  }

  // ---------------------------------------------------------------- the lease

  /**
   * {@inheritDoc}
   *
   * <p>That is the lease of the job. While it waits there is a line in the log every few seconds.
   * Taking the lease of another job gives the first one back.
   */
  @Override
  public boolean acquire(JobId job, String host, String place) throws IOException {
    if (sourceOnly) {
      return false;
    }
    return lease.acquire(job, host, place);
  }

  /** A job that was never seen by anybody else may come without a lease. */
  private void requireLease(JobId job) throws IOException {
    if (lease.isTaken()) {
      lease.require(job);
    } else {
      lease.acquire(job, comm.domain(0), home.place());
    }
  }

  // ---------------------------------------------------------------- bringing a state there

  @Override
  public long protect(VersionId version, Deltas deltas) throws IOException {
    if (sourceOnly) {
      throw new IOException("the shared directory cannot be written to");
    }
    Beginning beginning = comm.rank() == 0 ? begin(version) : Beginning.ELSEWHERE;
    try {
      return protect(version, FlushBase.read(comm.announce(beginning.message, 0)), deltas);
    } finally {
      end(beginning.claim);
    }
  }

  private long protect(VersionId version, FlushBase base, Deltas deltas) throws IOException {
    Optional<Flushed> remembered = memory.of(base);
    if (base.complete()) {
      return 0;
    }
    GroupFlush.Part part;
    Label label = Label.none();
    try (FlushSource source =
        new FlushSource(home, shared, clock, version, base, remembered, deltas)) {
      label = source.label();
      part = group.rank() == 0 ? lead(version, base.token(), source) : follow(source);
      part.own().scrubbed().ifPresent(this::tell);
    } catch (IOException e) {
      // All ranks wait to hear what became of it.
      part = GroupFlush.Part.failed(e);
    }
    List<Manifest.Group> groups = publish(version, part.message(), label);
    remember(part.own().next(), groups);
    return part.own().bytes();
  }

  private void remember(Optional<Flushed> next, List<Manifest.Group> groups) {
    for (Manifest.Group one : groups) {
      if (one.ranks().contains(comm.rank())) {
        next.ifPresent(flushed -> memory.propose(flushed.with(one.references())));
      }
    }
  }

  private void tell(ScrubReport report) {
    for (String damage : report.damages()) {
      LOG.warn("rank {} wrote a block again that had decayed: {}", report.rank(), damage);
    }
    scrubListener.accept(report);
  }

  /** What rank 0 tells all others at the beginning, and what it claimed before that. */
  private record Beginning(byte[] message, Optional<Claim> claim) {
    static final Beginning ELSEWHERE = new Beginning(new byte[0], Optional.empty());
  }

  /** The first rank looks, for all: others might see another state of the directory. */
  private Beginning begin(VersionId version) {
    try {
      requireLease(version.job());
      FlushBase base = chooseBase(version);
      if (base.complete()) {
        return new Beginning(base.write(), Optional.empty());
      }
      Optional<Claim> claim = Optional.of(Claim.begin(shared, version, base.version()));
      lease.renewBeside(claim);
      return new Beginning(base.write(), claim);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // The others wait for a word, whatever it is.
      return new Beginning(FlushBase.failed(e), Optional.empty());
    }
  }

  private void end(Optional<Claim> claim) {
    lease.renewBeside(Optional.empty());
    if (claim.isPresent()) {
      try {
        claim.get().end();
      } catch (IOException e) {
        LOG.warn("a claim stays in the shared directory: {}", e.toString());
      }
    }
  }

  private FlushBase chooseBase(VersionId version) throws IOException {
    Predicate<VersionId> world = home.lineage().world();
    List<Manifest> own =
        directory.list(version.job(), known).versions().stream()
            .filter(manifest -> world.test(manifest.version()))
            .filter(manifest -> home.lineage().includes(manifest.version()))
            .toList();
    boolean complete = own.stream().anyMatch(manifest -> manifest.version().equals(version));
    return new FlushBase(
        complete,
        (int) random.getAsLong(),
        own.stream().map(Manifest::version).findFirst(),
        own.isEmpty() ? 0 : own.getFirst().token(),
        own.isEmpty() ? Set.of() : Emptying.of(own.getFirst()));
  }

  /** What a group has to say in the end: its part of the manifest, or why there is none. */
  private GroupFlush.Part lead(VersionId version, int token, FlushSource own) throws IOException {
    SharedNames.Segment identity = new SharedNames.Segment(version, token, groupNumber);
    return framing.isPresent()
        ? new FramedFlush(group, shared, clock, identity, home.lineage(), framing.get()).lead(own)
        : new GroupFlush(group, shared, clock, identity, home.lineage()).lead(own);
  }

  private GroupFlush.Part follow(FlushSource own) throws IOException {
    return framing.isPresent()
        ? FramedFlush.follow(group, own, framing.get())
        : GroupFlush.follow(group, own);
  }

  /** Only if all groups have finished: the manifest makes their segments a version. */
  private List<Manifest.Group> publish(VersionId version, byte[] mine, Label label)
      throws IOException {
    List<Manifest.Group> groups = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (byte[] message : comm.allGather(mine)) {
      if (message.length > 0) {
        GroupReport.read(message, groups, failures);
      }
    }
    if (!failures.isEmpty()) {
      throw new IOException(String.join("; ", failures));
    }
    witnesses.see(groups);
    if (comm.rank() == 0) {
      requireLease(version.job());
      removeUnusable(version);
      directory.publish(Manifest.of(version, home.lineage(), clock.now(), groups).labelled(label));
    }
    return groups;
  }

  /** A manifest of this very version that is damaged, or has lost segments, makes place. */
  private void removeUnusable(VersionId version) throws IOException {
    String name = SharedNames.manifest(version);
    if (shared.exists(name)) {
      try {
        Manifest.read(shared, name);
      } catch (CorruptContainerException e) {
        LOG.warn("a damaged manifest is written again: {}", e.getMessage());
      }
      shared.delete(name);
      shared.forceDirectory();
    }
  }

  @Override
  public Optional<String> remark() {
    return framing.flatMap(Framing::remark);
  }

  @Override
  public void nowStable(VersionId version) {
    memory.settle(version);
    if (comm.rank() != 0 || sourceOnly) {
      return;
    }
    try {
      Collector.Report report = collector.collect(home.lineage(), home.mayOldWorldsGo());
      report.obstacle().ifPresent(why -> LOG.warn("nothing is collected for now: {}", why));
    } catch (IOException e) {
      LOG.warn("old versions in the shared directory stay for now: {}", e.toString());
    }
  }

  // ---------------------------------------------------------------- bringing a state back

  /**
   * Writes the state of a rank into a container, every block verified. Several versions fit into
   * one container, if the older ones come first and its retention keeps them.
   *
   * @throws IOException if the version is not there, or damaged; the message names the file and the
   *     place in it
   */
  public static void rebuild(Store shared, VersionId version, int rank, Container target)
      throws IOException {
    new SharedDirectory(shared)
        .reading(
            version,
            manifest -> {
              try (SegmentSource source = SegmentSource.open(shared, manifest, rank)) {
                MemberCopy.write(source, target);
              }
              return rank;
            });
  }

  @Override
  public void close() throws IOException {
    try {
      lease.release();
    } finally {
      framing.ifPresent(Framing::close);
      group.close();
    }
  }
}
