// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Label;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.Scrubbing;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.restart.RestartTarget;
import org.cairn.store.Directories;
import org.cairn.store.FullDisk;
import org.cairn.store.Store;
import org.cairn.store.StoreLock;
import org.cairn.supply.Closing;
import org.cairn.supply.Supply;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.Agreement;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.Home;
import org.cairn.tier.Objections;
import org.cairn.tier.Stability;
import org.cairn.tier.Tier;
import org.cairn.tier.TierListener;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.tier.TierWorker;
import org.cairn.version.Delta;
import org.cairn.version.JobId;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.watch.Activity;
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
  private static final long UNTOLD = 1L << 61;
  private static final long LABELLED = 1L << 60;

  /** How often a program that closes says what it waits for. */
  private static final Duration PROGRESS = Duration.ofSeconds(5);

  private final Activity activity;
  private final Communicator control;
  private final Communicator background;
  private final Communicator farewell;
  private final Directories directories;
  private final Store store;
  private final Home home;
  private final Tiers tiers;
  private final Clock clock;
  private final TierListener listener;
  private final Stability stability;
  private final Trigger trigger;
  private final Map<TierKind, TierWorker> workers = new LinkedHashMap<>();
  private final Scrubber scrubber;

  /** Agrees on outcomes while the program goes on; null if the transport serves one thread. */
  private final @Nullable ExecutorService agreementThread;

  /** Outcomes to be agreed on by the program's thread. */
  private final Queue<Runnable> deferred = new ArrayDeque<>();

  private volatile boolean abandoned;

  private final FragmentScan scan;
  private final String name;
  private final LongSupplier random;
  private final Duration pruneOthersAfter;
  private final Optional<Directories> siblings;
  private final StoreLock lock;

  /** The container of this rank; null until it is decided which job this is. */
  private volatile @Nullable LocalContainer local;

  /** What was found at the start; null once it is decided which job this is. */
  private @Nullable FragmentTable atStart;

  /** What this rank told the others then. */
  private byte[] mineAtStart = {};

  private long epoch;
  private long sequence;

  /**
   * What a job is made of.
   *
   * @param tiers where versions go beside the local container
   * @param retain how many stable versions the local container keeps
   * @param settings what else all ranks must have alike, in words
   * @param name by which the job is found again; empty if it has none
   * @param pruneOthersAfter how old files of other lives must be to be deleted; zero for never
   * @param scrubbing how often what is on disk is verified
   * @param siblings where a job of many ranks would have kept its state, if this one keeps it
   *     elsewhere
   * @param random where identities come from
   */
  public record Setup(
      Tiers tiers,
      int retain,
      String settings,
      String name,
      Duration pruneOthersAfter,
      Scrubbing scrubbing,
      Optional<Directories> siblings,
      Clock clock,
      LongSupplier random) {}

  private Job(
      Communicator world,
      Directories directories,
      Store store,
      StoreLock lock,
      Setup setup,
      TierListener listener,
      ScrubListener scrubListener) {
    this.activity = Activity.of(world);
    this.control = world.duplicate();
    this.background = world.duplicate();
    this.farewell = world.duplicate();
    this.directories = directories;
    this.store = store;
    this.lock = lock;
    this.home = new Home(store, world.rank(), world.size(), setup.random);
    this.tiers = setup.tiers;
    this.clock = setup.clock;
    this.name = setup.name;
    this.random = setup.random;
    this.pruneOthersAfter = setup.pruneOthersAfter;
    this.siblings = setup.siblings;
    this.listener = listener;
    this.stability = new Stability(setup.retain);
    this.scan = new FragmentScan(control, directories, store, tiers, name, setup.random);
    this.trigger = new Trigger(control);
    this.scrubber = new Scrubber(setup.scrubbing, clock, store, this::scrubbed, scrubListener);
    this.agreementThread =
        world.isIndependent() ? Executors.newSingleThreadExecutor(Job::thread) : null;
  }

  private static Thread thread(Runnable task) {
    return Supply.thread(task, "cairn-agreement");
  }

  /** Joins the job; collective. All ranks must have the same settings. */
  public static Job open(
      Communicator world,
      Directories directories,
      Setup setup,
      TierListener listener,
      ScrubListener scrubListener)
      throws IOException {
    Store store = null;
    StoreLock lock = null;
    Throwable mine = null;
    try {
      store = directories.create(FileNames.directory(world.rank()));
      lock = store.lock(FileNames.jobLock(world.rank(), setup.name));
    } catch (IOException | RuntimeException | Error e) {
      mine = e;
    }
    try {
      Agreement.reach(world, mine);
      if (store == null || lock == null) {
        throw new AssertionError("agreed on nothing");
      }
      refuseDifferentSettings(
          world,
          "%s, retaining %d, %s, job \"%s\""
              .formatted(setup.tiers, setup.retain, setup.settings, setup.name));
    } catch (IOException | RuntimeException | Error e) {
      Activity.of(world).left(e);
      if (lock != null) {
        lock.close();
      }
      throw e;
    }
    Job job = null;
    try {
      job = new Job(world, directories, store, lock, setup, listener, scrubListener);
      // All directories have their new names before anybody reads them.
      Agreement.reach(job.control, null);
      job.openTiers(world);
      job.atStart = job.look();
      return job;
    } catch (IOException | RuntimeException | Error e) {
      Activity.of(world).left(e);
      if (job == null) {
        lock.close();
      } else {
        job.close();
      }
      throw e;
    }
  }

  private static void refuseDifferentSettings(Communicator world, String mine) throws IOException {
    byte[] announced = world.announce(RecordWriter.onHeap().putText(mine).toArray(), 0);
    String first = RecordReader.of(announced, "rank 0").getText();
    Objections others =
        Objections.gather(
            world,
            mine.equals(first)
                ? Optional.empty()
                : Optional.of("rank %d: %s".formatted(world.rank(), mine)));
    if (!others.isEmpty()) {
      throw new AgreedFailureException(
          "ranks have different settings; rank 0: %s; %s; give all ranks the same"
              .formatted(first, others));
    }
  }

  private void openTiers(Communicator world) throws IOException {
    List<String> domains = IntStream.range(0, world.size()).mapToObj(world::domain).toList();
    List<TierKind> leftOut = new ArrayList<>();
    for (TierType type : TierTypes.all()) {
      TierOpening opening = new TierOpening(world, domains, home, tiers, clock, this::checkDomains);
      Optional<Tier> tier = type.open(opening);
      if (tier.isPresent()) {
        add(tier.get(), opening.comm());
      } else if (opening.giveUp()) {
        leftOut.add(type.kind());
      }
    }
    if (!leftOut.isEmpty() && rank() == 0) {
      LOG.warn("{} cannot have these tiers, which are left out: {}", ranks(), leftOut);
    }
  }

  private String ranks() {
    return size() == 1 ? "a single rank" : size() + " ranks";
  }

  private void add(Tier tier, Communicator comm) {
    home.wantDeltas();
    workers.put(
        tier.kind(),
        new TierWorker(tier, comm, stability, clock, listener, this::delta, () -> tellRot(tier)));
  }

  private Optional<Delta> delta(VersionId base, Digest root, VersionId version) {
    LocalContainer own = local;
    return own == null ? Optional.empty() : own.get().delta(base, root, version);
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

  /** A single rank without tiers agrees with nobody: it keeps the newest versions. */
  private Retention retention() {
    return isAlone() ? Retention.newest(stability.retain()) : stability;
  }

  /**
   * Whether there is nobody to agree with, and no tier to feed. Such a job is spared the thread
   * that agrees, and asks the clock at every step: all else costs it nothing.
   */
  private boolean isAlone() {
    return isOnlyRank() && workers.isEmpty();
  }

  /** Whether what this rank does concerns no other: it may throw at any call. */
  public boolean isOnlyRank() {
    return size() == 1;
  }

  /** Who of this rank waits for others. */
  public Activity activity() {
    return activity;
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

  /** The name by which the job is found again; empty if it has none. */
  public String name() {
    return name;
  }

  /** The run and what it comes from; empty until it is decided which job this is. */
  public Optional<Lineage> lineage() {
    return home.isEntered() ? Optional.of(home.lineage()) : Optional.empty();
  }

  /** The container of this rank; empty until it is decided which job this is. */
  public Optional<LocalContainer> local() {
    return Optional.ofNullable(local);
  }

  /**
   * The container of this rank.
   *
   * @throws IllegalStateException if it is not decided yet which job this is
   */
  public LocalContainer decided() {
    return local()
        .orElseThrow(() -> new IllegalStateException("it is not decided yet which job this is"));
  }

  /** Where the state of this rank is, for messages. */
  public String location() {
    return local()
        .map(own -> own.get().location())
        .orElseGet(() -> store.location(FileNames.local(rank())));
  }

  // ---------------------------------------------------------------- whose job it is

  private FragmentTable look() {
    mineAtStart = SurveyMessage.write(scan.scan());
    return new FragmentTable(size(), Survey.gather(control, mineAtStart), name);
  }

  /**
   * Looks again. Every rank reads its files again: much may have happened since, also by others,
   * who hold no lock of this job. Only where all of them found what they found at the start, what
   * all found is known, and one number is said instead of all that.
   */
  private FragmentTable lookAgain() {
    byte[] mine = SurveyMessage.write(scan.scan());
    FragmentTable before = atStart;
    boolean news = before == null || !Arrays.equals(mine, mineAtStart);
    boolean anyNews = control.allReduce(news ? 1 : 0, Reduction.MAX) > 0;
    Survey survey = anyNews || before == null ? Survey.gather(control, mine) : before.survey();
    return new FragmentTable(size(), survey, name);
  }

  /** What was found damaged when the job was opened, for people. */
  public List<String> problemsAtStart() {
    FragmentTable table = atStart;
    return table == null ? List.of() : table.answers(List.of());
  }

  /** Versions found at the start in files of this rank, newest first. */
  public List<VersionId> foundAtStart() {
    FragmentTable table = atStart;
    return table == null
        ? List.of()
        : table.lives().versions().stream().sorted(Comparator.reverseOrder()).toList();
  }

  /** What is in the files of this rank's own state before it is decided which job this is. */
  public List<VersionInfo> ownAtStart() {
    FragmentTable table = atStart;
    List<VersionInfo> versions = new ArrayList<>();
    if (table != null) {
      for (Found one : table.survey().found()) {
        if (one.isOwnState() && one.holder() == rank() && one.fragment().lineage() != null) {
          versions.addAll(versionsIn(one.fragment().file()));
        }
      }
    }
    versions.sort(Comparator.comparing(VersionInfo::id).reversed());
    return versions;
  }

  private List<VersionInfo> versionsIn(String file) {
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      return reader.versions();
    } catch (IOException e) {
      LOG.warn("{} cannot be read any more: {}", file, e.toString());
      return List.of();
    }
  }

  /**
   * Decides which job this is, if nothing has: a program that never restarts and finds nothing
   * begins one; collective.
   *
   * @throws IllegalStateException on all ranks, if there are checkpoints that it could go on with
   */
  public void ensureDecided() throws IOException {
    if (!home.isEntered()) {
      refuseStateOfMany();
      try {
        decide();
      } catch (RuntimeException | Error e) {
        leave(e);
        throw e;
      }
    }
  }

  /** What many ranks saved beside where a single one would is not nothing. */
  private void refuseStateOfMany() throws IOException {
    if (siblings.isPresent() && !home.isEntered() && foundAtStart().isEmpty()) {
      OtherSizes.refuse(siblings.get(), name);
    }
  }

  private void decide() throws IOException {
    FragmentTable table = Objects.requireNonNull(atStart);
    switch (Choice.of(table, RestartRequest.newest(), size(), directories.location())) {
      case Choice.FirstRun() -> begin(table, Optional.empty(), false);
      case Choice.Again(Lineage lineage) -> begin(table, Optional.of(lineage), false);
      case Choice.Restore _, Choice.Refuse _ ->
          throw new IllegalStateException(
              ("there are checkpoints in %s (%s); call restart() before the first checkpoint,"
                      + " or restart(RestartRequest.beginAnew()) to leave them behind")
                  .formatted(
                      directories.location(),
                      table.lives().current().stream().map(Life::id).toList()));
    }
  }

  /** What is agreed on when a run begins. */
  private record Drawn(JobId job, RunId run, Instant began) {}

  /** Rank 0 draws, for all. */
  private Drawn draw() throws IOException {
    RecordWriter mine = RecordWriter.onHeap();
    if (rank() == 0) {
      mine.putLong(random.getAsLong()).putLong(random.getAsLong()).putLong(random.getAsLong());
      mine.putLong(clock.now().toEpochMilli());
    }
    RecordReader drawn = RecordReader.of(control.announce(mine.toArray(), 0), "rank 0");
    return new Drawn(
        new JobId(drawn.getLong(), drawn.getLong()),
        new RunId(drawn.getLong()),
        Instant.ofEpochMilli(drawn.getLong()));
  }

  /** The run that goes on with a version of a life. */
  private Lineage successor(
      FragmentTable table, Choice.Restore choice, Drawn drawn, boolean chosen) {
    Lives lives = table.lives();
    RunInfo run =
        RunInfo.of(
                drawn.run,
                drawn.began,
                size(),
                Optional.of(choice.version()),
                chosen || lives.isPendingChoice(choice.life().lineage().run().id()),
                lives.leftBehindBy(Optional.of(choice.version())),
                Optional.of(choice.life().lineage().run().id()))
            .leavingFiles(lives.leftFilesBy(List.of()));
    Lineage before = choice.life().lineage();
    return before.continuedBy(run, lives.family(before.job()));
  }

  /**
   * Begins from nothing: a new job, or again one that never completed a checkpoint; collective.
   *
   * @param again the lineage of such a job
   */
  private void begin(FragmentTable table, Optional<Lineage> again, boolean chosen)
      throws IOException {
    Drawn drawn = draw();
    Lives lives = table.lives();
    RunInfo run =
        RunInfo.of(
                drawn.run,
                drawn.began,
                size(),
                Optional.empty(),
                chosen
                    || again.filter(before -> lives.isPendingChoice(before.run().id())).isPresent(),
                lives.leftBehindBy(Optional.empty()),
                again.map(lineage -> lineage.run().id()))
            .leavingFiles(lives.leftFilesBy(chosen ? marks(table) : List.of()));
    Lineage lineage =
        again
            .map(before -> before.continuedBy(run, lives.family(before.job())))
            .orElseGet(() -> Lineage.beginning(drawn.job, name, run));
    if (again.isPresent() && rank() == 0) {
      LOG.info(
          "job {} never completed a checkpoint and begins again; nothing is lost", lineage.brief());
    }
    enter(create(table, lineage, again.isPresent()), lineage, table);
    stability.reset(List.of());
  }

  private static List<Digest> marks(FragmentTable table) {
    return table.foreignReleases().stream()
        .map(Fragment::mark)
        .filter(mark -> !mark.equals(Digest.NONE))
        .distinct()
        .toList();
  }

  /**
   * The container of a job that begins. All are made before any of them gets its name: so when one
   * is in place, those of all ranks are there.
   */
  private LocalContainer create(FragmentTable table, Lineage lineage, boolean again)
      throws IOException {
    closeLocal();
    Optional<String> mine = again ? ownOf(table, lineage) : Optional.empty();
    String file = null;
    Throwable failure = null;
    try {
      file =
          mine.isPresent()
              ? mine.get()
              : FileNames.free(store, rank(), name, Ownership.STATE, lineage.run().id());
      if (!store.exists(file)) {
        store.delete(FileNames.unfinished(file));
        Container.prepare(
            store,
            file,
            FileNames.unfinished(file),
            new Ownership(lineage, Ownership.STATE, rank(), size()),
            random);
        store.forceDirectory();
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    Agreement.reach(control, failure);
    return open(Objects.requireNonNull(file));
  }

  /** The container of this rank of a job that begins again, in place or not. */
  private Optional<String> ownOf(FragmentTable table, Lineage lineage) {
    return table.survey().found().stream()
        .filter(one -> one.isOwnState() && one.holder() == rank())
        .map(Found::fragment)
        .filter(fragment -> isOfJob(fragment, lineage.job()))
        .filter(fragment -> fragment.state() != Fragment.State.UNFINISHED)
        .map(Fragment::file)
        .filter(this::canBeContinued)
        .findFirst();
  }

  /**
   * Whether a container can be written on: it has no versions, or one whose map can be read. One
   * that has lost what nobody can restore anyway is left alone, and must not be in the way.
   */
  private boolean canBeContinued(String file) {
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      List<VersionInfo> versions = reader.versions();
      return versions.isEmpty()
          || versions.stream().anyMatch(version -> canBeRead(reader, version.id()));
    } catch (IOException e) {
      LOG.warn("rank {} leaves {} alone: {}", rank(), store.location(file), e.getMessage());
      return false;
    }
  }

  private static boolean canBeRead(ContainerReader reader, VersionId version) {
    try {
      reader.view(version);
      return true;
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isOfJob(Fragment fragment, JobId job) {
    Lineage lineage = fragment.lineage();
    return lineage != null && lineage.job().equals(job);
  }

  private LocalContainer open(String file) throws IOException {
    LocalContainer opened = null;
    Throwable failure = null;
    try {
      if (!store.exists(file)) {
        putInPlace(file);
      }
      opened = LocalContainer.open(home, file, retention());
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    try {
      Agreement.reach(control, failure);
    } catch (IOException | RuntimeException | Error e) {
      if (opened != null) {
        opened.close();
      }
      throw e;
    }
    return Objects.requireNonNull(opened);
  }

  private void putInPlace(String file) throws IOException {
    store.rename(FileNames.unfinished(file), file);
    try {
      store.forceDirectory();
    } catch (IOException e) {
      // No later force makes up for one that failed; only a new name does.
      store.delete(file);
      throw e;
    }
  }

  /**
   * Takes the right to write of a job where others could write too, and waits for it if another run
   * may have it; collective.
   *
   * @return whether it had to wait
   */
  private boolean takeLease(JobId job) throws IOException {
    if (workers.values().stream().allMatch(worker -> worker.tier().isInDirectories())) {
      return false; // nobody else writes there, and all ranks know that
    }
    boolean waited = false;
    Throwable failure = null;
    if (rank() == 0) {
      try {
        String place = store.location(FileNames.jobLock(0, name));
        for (TierWorker worker : workers.values()) {
          waited |= worker.tier().acquire(job, control.domain(0), place);
        }
      } catch (IOException | RuntimeException | Error e) {
        failure = e;
      }
    }
    Agreement.reach(control, failure);
    return isAnywhere(waited);
  }

  /** Makes it durable on every rank which run this is, before it takes a version; collective. */
  private void enter(LocalContainer container, Lineage lineage, FragmentTable table)
      throws IOException {
    long fresh;
    try {
      fresh = announce(container, lineage, table);
    } catch (IOException | RuntimeException | Error e) {
      if (container != local) {
        container.close();
      }
      throw e;
    }
    if (container != local) {
      closeLocal();
    }
    local = container;
    home.enter(lineage, container.name());
    epoch = fresh;
    sequence = Math.max(sequence, table.survey().newestSequence());
    atStart = null;
    workers.values().forEach(TierWorker::forget);
    OtherLives others = new OtherLives(store, lineage);
    if (!pruneOthersAfter.isZero()) {
      others.prune(pruneOthersAfter, clock.now(), table.lives());
    }
    String beside = others.describe();
    if (!beside.isEmpty()) {
      LOG.warn("rank {}: {}", rank(), beside);
    }
  }

  /** Gives the epoch that all ranks have entered. */
  private long announce(LocalContainer container, Lineage lineage, FragmentTable table)
      throws IOException {
    takeLease(lineage.job());
    long fresh =
        control.allReduce(
            Math.max(table.survey().freshEpoch(), container.get().epoch()), Reduction.MAX);
    Throwable failure = null;
    try {
      container.enter(lineage, fresh);
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    Agreement.reach(control, failure);
    return fresh;
  }

  private void closeLocal() throws IOException {
    LocalContainer before = local;
    local = null;
    if (before != null) {
      before.close();
    }
  }

  // ---------------------------------------------------------------- checkpoints

  /**
   * What a checkpoint is called and where it goes; the same on all ranks.
   *
   * @param tiers the tiers it goes to beside the container, as bits
   * @param label what the first rank says of it
   */
  public record Ticket(VersionId version, int tiers, Label label) {}

  /** What all ranks do at the same time. */
  private interface Together<T, E extends Exception> {
    T run() throws E;
  }

  /** Whoever leaves the others in the middle of something tells them. */
  private <T, E extends Exception> T together(Together<T, E> work) throws E {
    try {
      return work.run();
    } catch (RuntimeException | Error e) {
      leave(e);
      throw e;
    }
  }

  /**
   * A rank that has nobody to leave can try again. One that closes while others do not has cut off
   * what was under way itself: they need not end for that.
   */
  private void leave(Throwable failure) {
    if (size() > 1 && !abandoned) {
      activity.left(failure);
    }
  }

  /** Whether it is so on any rank; collective. */
  public boolean isAnywhere(boolean here) {
    return together(() -> control.allReduce(here ? 1L : 0L, Reduction.MAX) != 0);
  }

  /**
   * Refuses on all ranks what one of them must not do, before anything is changed; collective.
   *
   * @param mine why this rank must not; null if it may
   * @throws IllegalStateException if any rank must not
   */
  public void refuseTogether(@Nullable IllegalStateException mine) {
    try {
      Agreement.reach(control, mine);
    } catch (AgreedFailureException e) {
      throw new IllegalStateException(e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      leave(e);
      throw e;
    }
  }

  /** Whether only the thread that opened the job may call. */
  public boolean servesOneThread() {
    return agreementThread == null;
  }

  private VersionId nextVersion() {
    trigger.reset();
    Lineage lineage = home.lineage();
    return new VersionId(lineage.job(), lineage.run().id(), epoch, ++sequence, size());
  }

  /**
   * Agrees on the next checkpoint; collective.
   *
   * @param failure why this rank cannot begin; null if it can
   * @param untold whether its program was not told yet that the checkpoint before failed
   * @param label what this rank says of it; only what the first rank says counts
   * @return empty if there is such a rank, and its program has to be told first
   * @throws AgreedFailureException if any rank cannot begin
   */
  public Optional<Ticket> next(@Nullable Throwable failure, boolean untold, Label label)
      throws AgreedFailureException {
    return together(() -> agreeOnNext(failure, untold, label));
  }

  private Optional<Ticket> agreeOnNext(@Nullable Throwable failure, boolean untold, Label label)
      throws AgreedFailureException {
    VersionId version = nextVersion();
    int due = 0;
    for (TierWorker worker : workers.values()) {
      due |= isDue(worker, version) ? worker.tier().kind().bit() : 0;
    }
    boolean labelled = rank() == 0 && !label.isNone();
    long mine = busyTiers(due) | (failure == null ? 0 : FAILED) | (untold ? UNTOLD : 0);
    mine |= labelled ? LABELLED : 0;
    long all = control.allReduce(mine, Reduction.BITWISE_OR);
    if ((all & UNTOLD) != 0) {
      return Optional.empty();
    }
    if ((all & FAILED) != 0) {
      Agreement.reach(control, failure);
    }
    Label agreed = (all & LABELLED) == 0 ? Label.none() : LabelAgreement.reach(control, label);
    if (agreed.kept()) {
      return Optional.of(new Ticket(version, everyTier(), agreed));
    }
    for (TierKind kind : TierTypes.kindsOf((int) all & due)) {
      listener.skipped(kind, version);
    }
    return Optional.of(new Ticket(version, due & ~(int) all, agreed));
  }

  /** What is to be kept for ever goes to every tier, if need be behind what is under way there. */
  private int everyTier() {
    return workers.values().stream()
        .mapToInt(worker -> worker.tier().kind().bit())
        .reduce(0, (one, other) -> one | other);
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
    if (isAlone()) {
      return new Outcome<>(mine, Map.of());
    }
    CompletableFuture<T> agreed = new CompletableFuture<>();
    Map<TierKind, CompletableFuture<Void>> arrivals = new LinkedHashMap<>();
    for (TierKind kind : TierTypes.kindsOf(ticket.tiers)) {
      arrivals.put(kind, new CompletableFuture<>());
    }
    Runnable agreement = () -> agree(ticket, mine, agreed, arrivals);
    if (agreementThread == null) {
      deferred.add(agreement);
    } else {
      try {
        agreementThread.execute(activity.task(agreement));
      } catch (OutOfMemoryError e) {
        deferred.add(agreement); // no thread for it; the program waits
      }
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
      stability.nowStable(TierKind.LOCAL, ticket.version);
      arrivals.forEach((kind, arrival) -> bringTo(kind, ticket.version, arrival));
      agreed.complete(result);
    } catch (IOException | RuntimeException | Error e) {
      leave(e);
      arrivals.values().forEach(arrival -> arrival.completeExceptionally(e));
      agreed.completeExceptionally(e);
    }
  }

  private void bringTo(TierKind kind, VersionId version, CompletableFuture<Void> arrival) {
    TierWorker worker = workers.get(kind);
    if (worker != null) {
      worker
          .submit(version)
          .whenComplete((done, failure) -> arrived(worker, arrival, failure));
    }
  }

  private void arrived(
      TierWorker worker, CompletableFuture<Void> arrival, @Nullable Throwable failure) {
    if (failure == null) {
      arrival.complete(null);
      return;
    }
    try {
      if (worker.tier().isInDirectories()) {
        nameOthersIfFull(failure);
      }
    } finally {
      // Also if files cannot be looked at: whoever waits for it would wait for ever.
      arrival.completeExceptionally(failure);
    }
  }

  /** Whether a checkpoint is due; collective, but rarely with a message. */
  public boolean isDue(Duration computing, Duration cost, UnaryOperator<Duration> interval) {
    return isAlone()
        ? computing.compareTo(interval.apply(cost)) >= 0
        : together(() -> trigger.isDue(computing, cost, interval));
  }

  /** The time between checkpoints begins here; called on all ranks at the same point. */
  public void resetTrigger() {
    trigger.reset();
  }

  // ---------------------------------------------------------------- restart

  /**
   * Restores what is asked for from any tier, and begins a run that goes on from there; collective.
   * Where there is nothing to restore a job begins. If it throws, everything is as it was.
   *
   * @param target what is filled on this rank
   * @throws CheckpointUnavailableException on all ranks, if something was saved but cannot be
   *     restored, or it is not clear what to restore
   */
  public RestartReport restart(RestartRequest request, RestartTarget target) throws IOException {
    if (request.otherwise() == RestartRequest.Otherwise.REFUSE) {
      refuseStateOfMany();
    }
    return together(() -> restartTogether(request, target));
  }

  private RestartReport restartTogether(RestartRequest request, RestartTarget target)
      throws IOException {
    awaitTiers();
    refuseDifferentSettings(control, request.toString());
    FragmentTable table = lookAgain();
    if (request.otherwise() == RestartRequest.Otherwise.BEGIN_ANEW_ANYWAY) {
      return beginAnew(table, "as asked for");
    }
    if (Choice.of(table, request, size(), directories.location()) instanceof Choice.Restore choice
        && takeLease(choice.life().lineage().job())) {
      // Whoever had it may have gone on meanwhile.
      return restore(lookAgain(), request, target);
    }
    return restore(table, request, target);
  }

  private RestartReport restore(FragmentTable table, RestartRequest request, RestartTarget target)
      throws IOException {
    Drawn drawn = draw();
    boolean chosen = request.isChoice();
    Recovery recovery =
        new Recovery(
            control,
            directories,
            home,
            table,
            retention(),
            tiers,
            clock,
            choice -> successor(table, choice, drawn, chosen),
            local);
    Recovery.Outcome outcome = recovery.restart(request, target);
    Recovery.Restored restored = outcome.restored();
    if (restored != null) {
      goOn(restored, request, table);
      return restored.report().beside(others(table, restored.lineage()));
    }
    return switch (outcome.choice()) {
      case Choice.FirstRun() -> {
        begin(table, Optional.empty(), false);
        yield RestartReport.nothingSaved(table.answers(List.of()));
      }
      case Choice.Again(Lineage lineage) -> {
        begin(table, Optional.of(lineage), false);
        yield RestartReport.nothingSaved(table.answers(List.of()));
      }
      case Choice.Refuse(String why, List<String> answers, boolean restorable) -> {
        if (request.otherwise() == RestartRequest.Otherwise.BEGIN_ANEW && !restorable) {
          yield beginAnew(table, why);
        }
        throw new CheckpointUnavailableException(why, answers);
      }
      case Choice.Restore _ -> throw new AssertionError("chosen, but not restored");
    };
  }

  private RestartReport beginAnew(FragmentTable table, String why) throws IOException {
    if (marks(table).size() > RunInfo.MAX_LEFT_FILES) {
      throw new CheckpointUnavailableException(
          "there are %d files of another release or machine in %s, and a run can leave %d behind; move them away"
              .formatted(marks(table).size(), directories.location(), RunInfo.MAX_LEFT_FILES),
          table.answers(List.of()));
    }
    List<String> lost = new ArrayList<>();
    lost.add("BEGINS ANEW: " + why);
    table.lives().current().forEach(life -> lost.add("left behind: job " + life.id()));
    lost.addAll(table.answers(List.of()));
    if (rank() == 0) {
      lost.forEach(line -> LOG.warn("{}", line));
    }
    begin(table, Optional.empty(), true);
    return RestartReport.nothingSaved(lost);
  }

  private void goOn(Recovery.Restored restored, RestartRequest request, FragmentTable table)
      throws IOException {
    if (home.isEntered() && !request.only().isEmpty()) {
      return; // some datasets were read; the run stays what it is
    }
    enter(restored.local(), restored.lineage(), table);
    stability.reset(restored.stable());
    if (request.only().isEmpty()) {
      for (TierWorker worker : workers.values()) {
        table.damagedFiles(rank()).forEach(worker.tier()::damaged);
      }
      restoreRedundancy(restored.stable().getLast());
    }
  }

  /** Other lives that were seen and are left alone, for people. */
  private static List<String> others(FragmentTable table, Lineage mine) {
    return table.lives().current().stream()
        .filter(life -> !life.versions().stream().allMatch(mine::owns))
        .map(
            life ->
                "job %s is left alone: its newest version is %s, taken %s"
                    .formatted(
                        life.id(),
                        life.versions().getFirst().exact(),
                        table.lives().takenAt(life.versions().getFirst())))
        .toList();
  }

  /** What was lost once must not be one failure away from being lost for good. */
  private void restoreRedundancy(VersionId version) throws IOException {
    for (TierWorker worker : workers.values()) {
      if (worker.tier().isInDirectories()) {
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

  /**
   * The version that was restored, to be read, as long as the run goes on from it.
   *
   * @throws IOException if it does not any more
   */
  public VersionSource restored(VersionId version) throws IOException {
    Container container = decided().usable();
    VersionInfo base =
        container
            .base()
            .filter(one -> one.id().equals(version))
            .orElseThrow(
                () -> new IOException(container.location() + " does not go on from " + version));
    return container.view(base);
  }

  // ---------------------------------------------------------------- bringing it everywhere

  /**
   * Brings the newest version that all ranks have to a tier now; collective.
   *
   * @throws IllegalArgumentException if the job has no such tier
   */
  public void flush(TierKind kind) throws IOException {
    TierWorker worker = workers.get(kind);
    if (worker == null) {
      throw new IllegalArgumentException(
          "this job has no %s tier; it has %s".formatted(kind.label(), workers.keySet()));
    }
    conclude();
    awaitTiers();
    Optional<VersionId> newest = stability.newest(TierKind.LOCAL);
    if (newest.isPresent() && !newest.equals(stability.newest(kind))) {
      worker.flush(newest.get());
    }
  }

  /**
   * Brings the newest version to all tiers before the job ends, if all ranks are closing; a rank
   * whose fellows do not come closes without.
   */
  public void flushAll(Duration limit) {
    if (!home.isEntered() || workers.isEmpty() || limit.isZero()) {
      return;
    }
    if (activity.isEnded()) {
      abandon();
      return;
    }
    long start = clock.nanos();
    conclude();
    Optional<VersionId> newest = stability.newest(TierKind.LOCAL);
    boolean idle =
        workers.values().stream().allMatch(worker -> worker.awaitIdle(left(start, limit)));
    List<TierWorker> behind =
        workers.values().stream()
            .filter(worker -> !newest.equals(stability.newest(worker.tier().kind())))
            .toList();
    if (newest.isEmpty() || idle && behind.isEmpty()) {
      return;
    }
    try {
      if (!idle || !new Farewell(farewell, clock).isUnanimous(left(start, limit))) {
        LOG.warn(
            "rank {} closes, but not all other ranks do; version {} stays where it is",
            rank(),
            newest.get());
        abandon();
        return;
      }
      behind.forEach(worker -> worker.submit(newest.get()));
      behind.forEach(worker -> await(worker, newest.get(), start, limit));
    } catch (CommunicationException e) {
      LOG.warn("version {} stays where it is: {}", newest.get(), e.toString());
      abandon();
    }
  }

  private Duration left(long start, Duration limit) {
    return limit.minus(Duration.ofNanos(clock.nanos() - start));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private void await(TierWorker worker, VersionId version, long start, Duration limit) {
    while (!worker.awaitIdle(shorter(left(start, limit), PROGRESS))) {
      if (left(start, limit).isNegative()) {
        LOG.warn(
            "version {} did not reach the {} tier within {}",
            version,
            worker.tier().kind().label(),
            limit);
        abandon();
        return;
      }
      LOG.info(
          "closing: version {} is on its way to the {} tier for {} s",
          version,
          worker.tier().kind().label(),
          (clock.nanos() - start) / 1_000_000_000L);
    }
  }

  /**
   * Says how many bytes files of other lives take, if it is a full disk that something failed of.
   */
  public void nameOthersIfFull(Throwable failure) {
    if (FullDisk.isReason(failure) && home.isEntered()) {
      String others = new OtherLives(store, home.lineage()).describe();
      if (!others.isEmpty()) {
        LOG.warn("rank {}: {}; Options.pruneOthersAfter or cairn prune make room", rank(), others);
      }
    }
  }

  /** This rank leaves in the middle of something: closing must not wait for the other ranks. */
  public void abandon() {
    abandoned = true;
    if (agreementThread != null) {
      agreementThread.shutdownNow();
    }
    workers.values().forEach(TierWorker::abandon);
  }

  // ---------------------------------------------------------------- scrubbing

  /** A checkpoint is durable in the container of this rank: what is on disk may be looked at. */
  public void scrubSome() {
    LocalContainer mine = local;
    if (mine != null) {
      scrubber.checkpointTaken(mine.get());
    }
  }

  /** Tells what was found to be bad in the files of a tier while a version was brought there. */
  private void tellRot(Tier tier) {
    tier.container()
        .ifPresent(container -> scrubber.tell(new Scrubber.Target(container, tier::rotten)));
  }

  /** What this rank writes; each is open, and so locked. */
  private List<Scrubber.Target> scrubbed() {
    List<Scrubber.Target> targets = new ArrayList<>();
    LocalContainer mine = local;
    if (mine != null) {
      targets.add(new Scrubber.Target(mine.get(), () -> {}));
    }
    for (TierWorker worker : workers.values()) {
      Tier tier = worker.tier();
      tier.container()
          .ifPresent(container -> targets.add(new Scrubber.Target(container, tier::rotten)));
    }
    return targets;
  }

  /** Finishes what the tiers have been given, and leaves. */
  @Override
  public void close() throws IOException {
    Closing closing = new Closing().then(scrubber::close);
    if (!abandoned) {
      closing.then(this::conclude);
    }
    closing.then(this::endAgreements);
    workers.values().forEach(worker -> closing.then(worker::close));
    closing.then(this::closeLocal).then(lock::close);
    if (!abandoned) {
      closing.then(farewell::close);
    }
    closing.then(background::close).then(control::close).end();
  }

  private void endAgreements() {
    if (agreementThread != null) {
      try (Activity.Rest _ = activity.rest()) {
        Supply.end(agreementThread);
      }
    }
  }
}
