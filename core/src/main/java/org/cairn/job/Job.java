// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.container.Container;
import org.cairn.container.Retention;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.cairn.restart.RestartReport;
import org.cairn.restart.RestartRequest;
import org.cairn.restart.Restarter;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.tier.FileNames;
import org.cairn.tier.Fragment;
import org.cairn.tier.Home;
import org.cairn.tier.LocalContainer;
import org.cairn.tier.PartnerTier;
import org.cairn.tier.Partners;
import org.cairn.tier.Tier;
import org.cairn.tier.TierKind;
import org.cairn.tier.Tiers;
import org.cairn.tier.parity.ErasureGroups;
import org.cairn.tier.parity.ErasureTier;
import org.cairn.tier.segment.SharedTier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of one rank in a parallel job: gives out identities that are the same on all ranks,
 * turns local outcomes into agreed ones, and feeds the tiers.
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>All ranks call the methods marked collective, in the same order, from one thread each.
 *   <li>A rank that dies takes the job with it, sooner or later; the job is started again.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>No identity is ever used twice: every start agrees on an epoch that no rank and no file has
 *       seen, and every checkpoint, whatever becomes of it, uses up a sequence number.
 *   <li>What one rank reports as durable, all do.
 *   <li>No version is dropped anywhere before all ranks have a newer one.
 * </ol>
 */
public final class Job implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private static final long FAILED = 1L << 62;

  private final Communicator control;
  private final Communicator background;
  private final Directories directories;
  private final Store store;
  private final Home home;
  private final Tiers tiers;
  private final Clock clock;
  private final TierListener listener;
  private final Stability stability;
  private final Trigger trigger;
  private final Map<TierKind, TierWorker> workers = new LinkedHashMap<>();

  /** Agrees on outcomes while the program goes on; null if the transport serves one thread. */
  private final @Nullable ExecutorService agreementThread;

  /** Outcomes to be agreed on by the program's thread. */
  private final Queue<Runnable> deferred = new ArrayDeque<>();

  private boolean abandoned;

  private @Nullable LocalContainer local;
  private long epoch;
  private long sequence;

  private Job(
      Communicator world,
      Directories directories,
      Store store,
      Tiers tiers,
      int retain,
      Clock clock,
      TierListener listener) {
    this.control = world.duplicate();
    this.background = world.duplicate();
    this.directories = directories;
    this.store = store;
    this.home = new Home(store, world.rank(), world.size());
    this.tiers = tiers;
    this.clock = clock;
    this.listener = listener;
    this.stability = new Stability(retain);
    this.trigger = new Trigger(control);
    this.agreementThread =
        world.isConcurrent() ? Executors.newSingleThreadExecutor(Job::thread) : null;
  }

  private static Thread thread(Runnable task) {
    Thread made = new Thread(task, "cairn-agreement");
    made.setDaemon(true);
    return made;
  }

  /**
   * Joins the job; collective. All ranks must have the same settings.
   *
   * @param retain how many stable versions the local container keeps
   * @param settings what else all ranks must have alike, in words
   */
  public static Job open(
      Communicator world,
      Directories directories,
      Tiers tiers,
      int retain,
      String settings,
      Clock clock,
      TierListener listener)
      throws IOException {
    Store store = null;
    IOException mine = null;
    try {
      store = directories.create(FragmentTable.directoryOf(world.rank()));
    } catch (IOException e) {
      mine = e;
    }
    Agreement.reach(world, mine);
    if (store == null) {
      throw new AssertionError("agreed on nothing");
    }
    refuseDifferentSettings(world, tiers + ", retaining " + retain + ", " + settings);
    Job job = new Job(world, directories, store, tiers, retain, clock, listener);
    try {
      job.openTiers(world);
      return job;
    } catch (IOException | RuntimeException | Error e) {
      job.close();
      throw e;
    }
  }

  private static void refuseDifferentSettings(Communicator world, String mine) throws IOException {
    List<byte[]> all = world.allGather(mine.getBytes(StandardCharsets.UTF_8));
    String first = new String(all.getFirst(), StandardCharsets.UTF_8);
    for (int rank = 1; rank < all.size(); rank++) {
      String other = new String(all.get(rank), StandardCharsets.UTF_8);
      if (!other.equals(first)) {
        throw new AgreedFailureException(
            "ranks have different settings; rank 0: %s; rank %d: %s; give all ranks the same"
                .formatted(first, rank, other));
      }
    }
  }

  private void openTiers(Communicator world) throws IOException {
    List<String> domains = IntStream.range(0, world.size()).mapToObj(world::domain).toList();
    boolean alone = world.size() < 2;
    if (alone && tiers.every(TierKind.PARTNER) + tiers.every(TierKind.ERASURE) > 0) {
      LOG.warn("a single rank has neither a partner nor a group; those tiers are left out");
    }
    if (!alone && tiers.every(TierKind.PARTNER) > 0) {
      openPartner(world, domains);
    }
    if (!alone && tiers.every(TierKind.ERASURE) > 0) {
      openErasure(world, domains);
    }
    Store shared = tiers.shared();
    if (shared != null && tiers.every(TierKind.SHARED) > 0) {
      Communicator comm = world.duplicate();
      SharedTier tier =
          SharedTier.open(comm, home, tiers, clock, new java.security.SecureRandom()::nextLong);
      if (tier.isSourceOnly()) {
        tier.close();
        comm.close();
      } else {
        add(tier, comm);
      }
    }
  }

  private void openPartner(Communicator world, List<String> domains) throws IOException {
    Partners partners =
        tiers.partnerDistance() == 0
            ? Partners.nearest(domains)
            : Partners.at(tiers.partnerDistance(), domains);
    if (!partners.together().isEmpty()) {
      checkDomains(
          "ranks %s share the failure domain \"%s\" with their partner"
              .formatted(partners.together(), domains.get(partners.together().getFirst())));
    }
    Communicator comm = world.duplicate();
    add(new PartnerTier(comm, home, partners), comm);
  }

  private void openErasure(Communicator world, List<String> domains) throws IOException {
    int size = Math.min(tiers.groupSize(), world.size());
    ErasureGroups groups =
        tiers.parity() == 0
            ? ErasureGroups.adapted(domains, size, size >= 4 ? 2 : 1)
            : ErasureGroups.adapted(domains, size, Math.min(tiers.parity(), size - 1));
    for (String warning : groups.warnings()) {
      checkDomains(warning);
    }
    Communicator comm = world.duplicate();
    add(new ErasureTier(comm, home, groups), comm);
  }

  private void add(Tier tier, Communicator comm) {
    workers.put(tier.kind(), new TierWorker(tier, comm, stability, clock, listener));
  }

  private void checkDomains(String warning) throws IOException {
    if (tiers.domainsRequired()) {
      throw new AgreedFailureException(
          warning
              + "; what is lost with it would be lost altogether. Place the ranks on more hosts,"
              + " name domains with CAIRN_DOMAIN, or do not require them");
    }
    if (control.rank() == 0) {
      LOG.warn("{}: its loss may cost more than the tier can bear", warning);
    }
  }

  /** Which versions the container of this rank has to keep. */
  public Retention retention() {
    return stability;
  }

  /** Where this rank keeps its files. */
  public Store store() {
    return store;
  }

  /** The number of this rank. */
  public int rank() {
    return control.rank();
  }

  /** How many ranks there are. */
  public int size() {
    return control.size();
  }

  /**
   * Opens the container of this rank and agrees on the epoch of this run; collective.
   *
   * @return the container, which stays the caller's to close
   */
  public LocalContainer start() throws IOException {
    LocalContainer opened = null;
    IOException mine = null;
    try {
      store.delete(FileNames.rebuilt(rank()));
      java.util.Random random = new java.util.Random(42);
      Lineage lineage =
          Lineage.beginning(
              org.cairn.version.JobId.draw(random::nextLong),
              "",
              org.cairn.version.RunInfo.of(
                  org.cairn.version.RunId.draw(random::nextLong),
                  clock.now(),
                  size(),
                  Optional.empty(),
                  false,
                  List.of()));
      home.enter(lineage, FileNames.local(rank()));
      opened =
          LocalContainer.openOrPutAside(
              store,
              FileNames.local(rank()),
              stability,
              home.ownership(org.cairn.version.Ownership.STATE, rank()));
    } catch (IOException e) {
      mine = e;
    }
    try {
      Agreement.reach(control, mine);
      if (opened == null) {
        throw new AssertionError("agreed on nothing");
      }
      local = opened;
      agreeOnEpoch(opened.get());
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      if (opened != null) {
        opened.close();
      }
      throw e;
    }
  }

  private void agreeOnEpoch(Container container) throws IOException {
    Survey survey = Survey.gather(control, scan());
    epoch = control.allReduce(Math.max(survey.freshEpoch(), container.epoch()), Reduction.MAX);
    sequence = survey.newestSequence();
    IOException mine = null;
    try {
      container.raiseEpoch(epoch);
    } catch (IOException e) {
      mine = e;
    }
    Agreement.reach(control, mine);
  }

  private List<Fragment> scan() {
    return new FragmentScan(control, directories, store, tiers.shared()).scan();
  }

  // ---------------------------------------------------------------- checkpoints

  /**
   * What a checkpoint is called and where it goes; the same on all ranks.
   *
   * @param tiers the tiers it goes to beside the container, as bits
   */
  public record Ticket(VersionId version, int tiers) {}

  /** Whether it is so on any rank; collective. */
  public boolean isAnywhere(boolean here) {
    return control.allReduce(here ? 1L : 0L, Reduction.MAX) != 0;
  }

  /**
   * Agrees on the next checkpoint; collective.
   *
   * @param failure why this rank cannot begin; null if it can
   * @throws AgreedFailureException if any rank cannot begin
   */
  public Ticket next(@Nullable Throwable failure) throws AgreedFailureException {
    trigger.reset();
    Lineage lineage = home.lineage();
    VersionId version =
        new VersionId(lineage.job(), lineage.run().id(), epoch, ++sequence, size());
    int due = 0;
    for (TierWorker worker : workers.values()) {
      due |= isDue(worker, version) ? worker.tier().kind().bit() : 0;
    }
    long mine = busyTiers(due) | (failure == null ? 0 : FAILED);
    long all = control.allReduce(mine, Reduction.BITWISE_OR);
    if ((all & FAILED) != 0) {
      Agreement.reach(control, failure);
    }
    for (TierKind kind : TierKind.of((int) all & due)) {
      listener.skipped(kind, version);
    }
    return new Ticket(version, due & ~(int) all);
  }

  private boolean isDue(TierWorker worker, VersionId version) {
    VersionId last = worker.newest();
    return last == null
        || version.sequence() - last.sequence() >= tiers.every(worker.tier().kind());
  }

  private long busyTiers(int due) {
    long deadline = clock.nanos() + tiers.patience().toNanos();
    long busy = 0;
    for (TierWorker worker : workers.values()) {
      int bit = worker.tier().kind().bit();
      Duration left = Duration.ofNanos(Math.max(0, deadline - clock.nanos()));
      if ((due & bit) != 0 && !worker.awaitIdle(left)) {
        busy |= bit;
      }
    }
    return busy;
  }

  /**
   * Makes the outcome of a checkpoint on this rank an agreed one, and then brings it to its tiers.
   *
   * @param mine how it ends on this rank
   * @return how it ended on all; and for each tier when it got there
   */
  public <T> Outcome<T> agree(Ticket ticket, CompletableFuture<T> mine) {
    CompletableFuture<T> agreed = new CompletableFuture<>();
    Map<TierKind, CompletableFuture<Void>> arrivals = new LinkedHashMap<>();
    for (TierKind kind : TierKind.of(ticket.tiers)) {
      arrivals.put(kind, new CompletableFuture<>());
    }
    Runnable agreement = () -> agree(ticket, mine, agreed, arrivals);
    if (agreementThread == null) {
      deferred.add(agreement);
    } else {
      agreementThread.execute(agreement);
    }
    return new Outcome<>(agreed, arrivals);
  }

  /**
   * Called when this rank has done its part in the checkpoints that were agreed on so far. Over a
   * transport that serves one thread the ranks agree on the outcome here, and the program waits.
   */
  public void conclude() {
    for (Runnable next = deferred.poll(); next != null; next = deferred.poll()) {
      next.run();
    }
  }

  /** What becomes of a checkpoint. */
  public record Outcome<T>(
      CompletableFuture<T> local, Map<TierKind, CompletableFuture<Void>> tiers) {}

  private <T> void agree(
      Ticket ticket,
      CompletableFuture<T> mine,
      CompletableFuture<T> agreed,
      Map<TierKind, CompletableFuture<Void>> arrivals) {
    try {
      T result = null;
      Throwable failure = null;
      try {
        result = mine.join();
      } catch (CompletionException e) {
        failure = e.getCause() == null ? e : e.getCause();
      } catch (RuntimeException e) {
        failure = e;
      }
      Agreement.reach(background, failure);
      stability.settled(TierKind.LOCAL, ticket.version);
      arrivals.forEach((kind, arrival) -> bringTo(kind, ticket.version, arrival));
      agreed.complete(result);
    } catch (IOException | RuntimeException | Error e) {
      arrivals.values().forEach(arrival -> arrival.completeExceptionally(e));
      agreed.completeExceptionally(e);
    }
  }

  private void bringTo(TierKind kind, VersionId version, CompletableFuture<Void> arrival) {
    TierWorker worker = workers.get(kind);
    if (worker != null) {
      worker
          .submit(version)
          .whenComplete(
              (done, failure) -> {
                if (failure == null) {
                  arrival.complete(null);
                } else {
                  arrival.completeExceptionally(failure);
                }
              });
    }
  }

  /** Whether a checkpoint is due; collective, but rarely with a message. */
  public boolean isDue(Duration computing, Duration cost, UnaryOperator<Duration> interval) {
    return trigger.isDue(computing, cost, interval);
  }

  /** The time between checkpoints begins here; called on all ranks at the same point. */
  public void resetTrigger() {
    trigger.reset();
  }

  // ---------------------------------------------------------------- restart

  /**
   * Restores the newest version that all ranks can have from any tier; collective.
   *
   * @param restarters makes a restarter for the container of this rank
   */
  public RestartReport restart(RestartRequest request, Function<Container, Restarter> restarters)
      throws IOException {
    awaitTiers();
    LocalContainer mine = local;
    if (mine == null) {
      throw new IllegalStateException("the job has not started");
    }
    FragmentTable table = new FragmentTable(size(), Survey.gather(control, scan()));
    Recovery recovery =
        new Recovery(control, directories, mine, table, stability, tiers.shared(), clock);
    RestartReport report = recovery.restart(request, restarters);
    if (report.version().isPresent() && request.only().isEmpty()) {
      for (TierWorker worker : workers.values()) {
        table.damagedFiles(rank()).forEach(worker.tier()::damaged);
      }
      restoreRedundancy(report.version().get());
    }
    return report;
  }

  /** What was lost once must not be one failure away from being lost for good. */
  private void restoreRedundancy(VersionId version) throws IOException {
    for (TierKind kind : List.of(TierKind.PARTNER, TierKind.ERASURE)) {
      TierWorker worker = workers.get(kind);
      if (worker != null) {
        worker.protect(version);
      }
    }
  }

  private void awaitTiers() {
    workers.values().forEach(worker -> worker.awaitIdle(Duration.ofNanos(Long.MAX_VALUE)));
  }

  /** The tiers beside the local container. */
  public Set<TierKind> tiers() {
    return workers.keySet();
  }

  /** The newest version that all ranks have at a tier. */
  public Optional<VersionId> settled(TierKind kind) {
    return stability.newest(kind);
  }

  /** This rank leaves in the middle of something: closing must not wait for the other ranks. */
  public void abandon() {
    abandoned = true;
    if (agreementThread != null) {
      agreementThread.shutdownNow();
    }
    workers.values().forEach(TierWorker::abandon);
  }

  /** Finishes what the tiers have been given, and leaves. */
  @Override
  public void close() throws IOException {
    if (!abandoned) {
      conclude();
    }
    if (agreementThread != null) {
      agreementThread.shutdown();
      boolean interrupted = false;
      while (true) {
        try {
          if (agreementThread.awaitTermination(1, TimeUnit.MINUTES)) {
            break;
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    List<IOException> failures = new ArrayList<>();
    for (TierWorker worker : workers.values()) {
      try {
        worker.close();
      } catch (IOException e) {
        failures.add(e);
      }
    }
    background.close();
    control.close();
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }
}
