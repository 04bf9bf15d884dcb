// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.cairn.checkpoint.CheckpointRun;
import org.cairn.checkpoint.CheckpointStats;
import org.cairn.checkpoint.Interval;
import org.cairn.checkpoint.Pipeline;
import org.cairn.checkpoint.WhenBusy;
import org.cairn.comm.Communicator;
import org.cairn.comm.SoloCommunicator;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.ElementType;
import org.cairn.container.VersionInfo;
import org.cairn.dataset.BooleanCell;
import org.cairn.dataset.Dataset;
import org.cairn.dataset.DoubleCell;
import org.cairn.dataset.IntCell;
import org.cairn.dataset.LongCell;
import org.cairn.dataset.ObjectFields;
import org.cairn.dataset.RowsAllocator;
import org.cairn.event.Event;
import org.cairn.event.EventLog;
import org.cairn.event.FlightEvents;
import org.cairn.event.LastWords;
import org.cairn.job.AgreedFailureException;
import org.cairn.job.Job;
import org.cairn.job.OtherSizes;
import org.cairn.restart.RestartReport;
import org.cairn.restart.RestartRequest;
import org.cairn.restart.Restarter;
import org.cairn.restart.Unclaimed;
import org.cairn.store.Directories;
import org.cairn.store.FileDirectories;
import org.cairn.store.FileStore;
import org.cairn.store.SingleDirectory;
import org.cairn.store.Store;
import org.cairn.store.VolatileDirectories;
import org.cairn.supply.Closing;
import org.cairn.tier.FileNames;
import org.cairn.tier.LocalContainer;
import org.cairn.tier.TierKind;
import org.cairn.version.Label;
import org.cairn.version.VersionId;
import org.cairn.watch.Watch;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the arrays that make up a program's state, and brings them back after a crash.
 *
 * <pre>{@code
 * try (Checkpointer cairn = Checkpointer.open(Path.of("checkpoints"))) {
 *   double[] u = new double[n];
 *   LongCell step = cairn.protect("step", 0L);
 *   cairn.protect("u", u);
 *
 *   cairn.restart();                       // no-op on a first run
 *   while (step.get() < steps) {
 *     advance(u);
 *     step.increment();
 *     cairn.checkpointIfDue();             // or checkpoint()
 *   }
 * }
 * }</pre>
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>Calls come from one thread at a time; one that comes while another is going on is refused.
 *   <li>Protected memory does not change while {@code checkpoint} or {@code add} runs; it may
 *       change as soon as they return, durable or not.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>After a crash at any moment {@code restart} gives the state of the last durable checkpoint,
 *       or of the one in flight if it just made it; never a mixture.
 *   <li>A checkpoint that fails changes nothing: the last good one stays, and the next call tries
 *       again. A failure in the background is thrown once: by {@link Checkpoint#await}, or else by
 *       the next call, which then does nothing but tell it.
 *   <li>What was restored is not dropped in silence: a dataset of the restored version that is
 *       protected late gets its content then, and as long as nothing protects it and nobody has
 *       given it up, checkpoints are refused.
 *   <li>No block reaches the program unverified.
 * </ol>
 */
public final class Checkpointer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

  /** What the first checkpoint may be expected to cost: the pace of an ordinary disk. */
  private static final double ASSUMED_BYTES_PER_SECOND = 500e6;

  private static final double COST_WEIGHT = 0.3;

  private final Options options;
  private final Workers crew;
  private final Pipeline pipeline;
  private final EventLog events;
  private final Dataset.Defaults defaults;
  private final Map<String, Dataset> datasets = new LinkedHashMap<>();

  private final Job job;
  private final Watch watch;
  private @Nullable Checkpoint last;
  private @Nullable CheckpointBuilder building;
  private long computingSince;

  /** Set by the writer, read by the program. */
  private volatile double costSeconds = Double.NaN;

  /** Where a program of many ranks would have kept its state; known if this one has one rank. */
  private @Nullable Directories siblings;

  private volatile @Nullable Evacuation evacuation;

  private final Turn turn = new Turn();
  private final Thread opener = Thread.currentThread();

  /** What the restored version has and nothing protects. */
  private Unclaimed unclaimed = Unclaimed.nothing();

  /** Whether ranks have still to agree that no rank has anything unclaimed; alike on all. */
  private boolean claimsOpen;

  /** Whether it is not known yet what the version has that is being restored. */
  private boolean restoring;

  private boolean closing;
  private volatile boolean closed;

  private Checkpointer(Options options, Job job, EventLog events, Watch watch) {
    this.options = options;
    this.watch = watch;
    this.defaults =
        new Dataset.Defaults(options.blockSize(), options.hash(), options.weakAccepted());
    this.job = job;
    this.events = events;
    this.crew = new Workers(options.threads(), "cairn-crew");
    this.pipeline = new Pipeline(crew, options.staging(), options.buffer(), options.clock());
    this.computingSince = options.clock().nanos();
    logOpened();
    watch.tell(this::logStuck);
  }

  /** Opens a directory for checkpoints, and creates it if it does not exist. */
  public static Checkpointer open(Path directory) {
    return open(directory, Options.defaults());
  }

  /**
   * Opens a directory for checkpoints, and creates it if it does not exist.
   *
   * @throws CheckpointDirectoryException if it cannot be used: no directory, no permission, in use
   *     by another process, or what lies there is no container or a damaged one
   */
  public static Checkpointer open(Path directory, Options options) {
    try {
      Checkpointer opened = open(FileStore.open(directory, true), options);
      opened.siblings = new FileDirectories(directory);
      return opened;
    } catch (IOException e) {
      throw unusable(directory.toString(), e);
    }
  }

  /** Checkpoints to a store of any kind. */
  public static Checkpointer open(Store store, Options options) {
    return open(
        new SingleDirectory(FileNames.directory(0), store), new SoloCommunicator(), options);
  }

  /**
   * Opens a directory for the checkpoints of all ranks of a parallel program; collective. Each rank
   * has a subdirectory of its own there, {@code rank0}, {@code rank1} and so on. The directory may
   * be on storage that ranks share, or one on each node under the same name.
   *
   * @throws CheckpointDirectoryException on all ranks alike, if one of them cannot use it
   */
  public static Checkpointer open(Path directory, Communicator ranks, Options options) {
    if (ranks.size() == 1) {
      return open(directory, options);
    }
    Directories directories = new FileDirectories(directory);
    return options.checked().inMemory()
        ? openInMemory(directories, ranks, options)
        : open(directories, ranks, options);
  }

  private static Checkpointer openInMemory(
      Directories directories, Communicator ranks, Options options) {
    VolatileDirectories inMemory = new VolatileDirectories(directories, FileNames::isContainer);
    Checkpointer opened = open(inMemory, ranks, options);
    opened.evacuation = Evacuation.of(inMemory);
    return opened;
  }

  /** Opens a directory for the checkpoints of all ranks, with defaults; collective. */
  public static Checkpointer open(Path directory, Communicator ranks) {
    return open(directory, ranks, Options.defaults());
  }

  /** Checkpoints of all ranks to stores of any kind; collective. */
  public static Checkpointer open(Directories directories, Communicator ranks, Options options) {
    if (options.checked().inMemory() && ranks.size() == 1) {
      LOG.warn("a single rank has nobody who could keep its state in memory; it goes to files");
    }
    TierEvents events = new TierEvents(options.clock());
    ScrubEvents scrubEvents = new ScrubEvents(options.clock());
    Watch watch = Watch.over(ranks, options.clock(), options.waitAtMost());
    try {
      Job job = Job.open(watch.communicator(), directories, setup(options), events, scrubEvents);
      try {
        EventLog log = new EventLog(job.store(), FileNames.events(job.name()));
        events.logTo(log);
        scrubEvents.logTo(log);
        LastWords.promise(log, options.clock()::now);
        return new Checkpointer(options.sharedBy(ranks.ranksOnHost()), job, log, watch);
      } catch (RuntimeException | Error e) {
        job.close();
        throw e;
      }
    } catch (IOException e) {
      watch.close();
      throw unusable(directories.location(), e);
    } catch (RuntimeException | Error e) {
      watch.close();
      throw e;
    }
  }

  private static Job.Setup setup(Options options) {
    return new Job.Setup(
        options.tiers(),
        options.retain(),
        settings(options),
        options.job(),
        options.pruneOthersAfter(),
        options.scrub(),
        options.clock(),
        options.random());
  }

  /** Ranks that differ in these would call collectives in different order. */
  private static String settings(Options options) {
    return "%s, when busy %s, every %s, waiting at most %s"
        .formatted(
            options.asynchronous() ? "asynchronous" : "synchronous",
            options.whenBusy(),
            options.interval(),
            options.waitAtMost());
  }

  /** The name of the container of a rank. */
  public static String containerName(int rank) {
    return FileNames.local(rank);
  }

  private static CheckpointDirectoryException unusable(String where, IOException e) {
    if (e instanceof AgreedFailureException && e.getCause() instanceof IOException cause) {
      return unusable(where, cause);
    }
    String message = String.valueOf(e.getMessage());
    String text = message.contains(where) ? message : where + ": " + message;
    String kind =
        e.getClass() == IOException.class ? "" : " [" + e.getClass().getSimpleName() + "]";
    return new CheckpointDirectoryException("cannot use checkpoints: " + text + kind, e);
  }

  private void logOpened() {
    List<String> problems = job.problemsAtStart();
    for (String problem : problems) {
      LOG.warn("{}", problem);
    }
    events.append(
        new Event("open", options.clock().now())
            .with("container", job.store().location(containerName(job.rank())))
            .with("versions", job.foundAtStart().stream().map(VersionId::toString).toList())
            .with("problems", problems)
            .with("rank", job.rank())
            .with("ranks", job.size())
            .with("tiers", options.tiers().toString()));
  }

  /** What is in memory only would be lost with the process. */
  private void logStuck(String message, boolean ends) {
    events.append(
        new Event("stuck", options.clock().now()).with("message", message).with("ends", ends));
    Evacuation saving = evacuation;
    if (ends && saving != null) {
      saving.saveAtExit();
    }
  }

  /** Where the state is, for messages. */
  private String location() {
    return job.local()
        .map(local -> local.get().location())
        .orElseGet(() -> job.store().location(containerName(job.rank())));
  }

  /** The container, once it is decided which job this is. */
  private LocalContainer local() {
    return job.local()
        .orElseThrow(() -> new IllegalStateException("it is not decided yet which job this is"));
  }

  // ---------------------------------------------------------------- protect

  /**
   * Protects an array; the array itself is what is saved and restored. As with all forms of {@code
   * protect}: after a restart, what the restored version has under this name is restored at once,
   * from the container of this rank alone, as if it had been protected before. A name that the
   * version does not have can be protected at any time.
   *
   * @throws org.cairn.dataset.DatasetMismatchException if it was saved with another type or shape;
   *     nothing is protected then
   * @throws org.cairn.restart.CheckpointUnavailableException if what was saved is damaged
   */
  public Dataset protect(String name, byte[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, boolean[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, char[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, short[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, int[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, long[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, float[] array) {
    return protectMemory(name, array);
  }

  /** Protects an array. */
  public Dataset protect(String name, double[] array) {
    return protectMemory(name, array);
  }

  /**
   * Protects rows of one length as one dataset of two axes. Rows may be put in the place of others;
   * each checkpoint saves those that are there. They are copied side by side first: Cairn keeps
   * memory of the size of the array for that.
   *
   * @throws IllegalArgumentException if a row is missing, of another length, or there twice
   */
  public Dataset protect(String name, double[][] rows) {
    return add(Dataset.rows(name, rows, defaults));
  }

  /** Protects rows of one length as one dataset of two axes. */
  public Dataset protect(String name, float[][] rows) {
    return add(Dataset.rows(name, rows, defaults));
  }

  /** Protects memory of any size as bytes. */
  public Dataset protect(String name, MemorySegment bytes) {
    return protectMemory(name, bytes);
  }

  /** Protects memory of any size, saying what its elements are. */
  public Dataset protect(String name, MemorySegment memory, ElementType type) {
    return add(Dataset.fixed(name, memory, type, defaults));
  }

  /** Protects all of a direct buffer, whatever its position and limit. */
  public Dataset protect(String name, Buffer buffer) {
    return protectMemory(name, buffer);
  }

  /** Protects a number; a restart sets it. */
  public LongCell protect(String name, long initial) {
    long[] value = {initial};
    protectMemory(name, value);
    return new LongCell(value);
  }

  /** Protects a number; a restart sets it. */
  public IntCell protect(String name, int initial) {
    int[] value = {initial};
    protectMemory(name, value);
    return new IntCell(value);
  }

  /** Protects a number; a restart sets it. */
  public DoubleCell protect(String name, double initial) {
    double[] value = {initial};
    protectMemory(name, value);
    return new DoubleCell(value);
  }

  /** Protects a truth value; a restart sets it. */
  public BooleanCell protect(String name, boolean initial) {
    boolean[] value = {initial};
    protectMemory(name, value);
    return new BooleanCell(value);
  }

  /**
   * Protects an array that the program replaces as it likes: to grow, shrink or move.
   *
   * @param type {@code double[].class} or another primitive array type, or {@code MemorySegment}
   * @param current gives the array as it is now
   * @param allocator makes an array of this many elements (bytes, for a {@code MemorySegment}) and
   *     puts it where {@code current} finds it; a restart calls it with the saved size
   */
  public <T> Dataset protect(
      String name, Class<T> type, Supplier<T> current, LongFunction<T> allocator) {
    return add(Dataset.supplied(name, type, current, allocator, defaults));
  }

  /**
   * Protects rows that the program replaces as it likes, by more or fewer of another length.
   *
   * @param type {@code double[][].class} or {@code float[][].class}
   */
  public <T> Dataset protect(
      String name, Class<T> type, Supplier<T> current, RowsAllocator<T> allocator) {
    return add(Dataset.suppliedRows(name, type, current, allocator, defaults));
  }

  /** Protects state that only this pair of functions understands. */
  public Dataset protectOpaque(String name, Supplier<byte[]> save, Consumer<byte[]> load) {
    return add(Dataset.opaque(name, save, load, defaults));
  }

  /**
   * Protects the fields of an object that are annotated with {@link org.cairn.dataset.Protect}, as
   * datasets named {@code prefix.field}.
   */
  public List<Dataset> protectObject(String prefix, Object state) {
    List<Dataset> fields = ObjectFields.of(prefix, state, defaults);
    addAll(fields);
    return fields;
  }

  private Dataset protectMemory(String name, Object memory) {
    return add(Dataset.fixed(name, memory, defaults));
  }

  private Dataset add(Dataset dataset) {
    addAll(List.of(dataset));
    return dataset;
  }

  private void addAll(List<Dataset> added) {
    try (Turn.Held _ = turn.join("protect()")) {
      ensureOpen();
      added.forEach(this::refuseTaken);
      for (Dataset dataset : added) {
        refuseTaken(dataset); // two fields of one name, perhaps
        datasets.put(dataset.name(), dataset);
      }
      if (!restoring) {
        claim(added);
      }
    }
  }

  /** What the restored version has under the names of datasets becomes their content. */
  private void claim(Collection<Dataset> added) {
    List<Dataset> late = unclaimed.among(added);
    try {
      if (!late.isEmpty()) {
        unclaimed.source().ifPresent(version -> restoreLate(version, late));
      }
      unclaimed.giveDefaults(added);
      late.forEach(dataset -> unclaimed.settle(dataset.name()));
    } catch (RuntimeException | Error e) {
      // What was not restored must not be saved in the place of what is there.
      added.forEach(dataset -> datasets.remove(dataset.name()));
      throw e;
    }
  }

  private void restoreLate(VersionId version, List<Dataset> late) {
    Map<String, Dataset> byName = new LinkedHashMap<>();
    late.forEach(dataset -> byName.put(dataset.name(), dataset));
    try {
      new Restarter(local().usable(), byName, crew, options.clock())
          .restoreLate(version, unclaimed.changes());
    } catch (IOException e) {
      throw new CheckpointFailedException(
          "%s cannot be restored from version %s: %s"
              .formatted(byName.keySet(), version, e.getMessage()),
          e);
    }
    LOG.debug("restored from version {}: {}", version, byName.keySet());
  }

  private void refuseTaken(Dataset dataset) {
    if (datasets.containsKey(dataset.name())) {
      throw new IllegalArgumentException(
          "dataset \"%s\" is protected already; use Dataset.replace, or unprotect it first"
              .formatted(dataset.name()));
    }
  }

  /**
   * Takes a dataset out of the state; the next checkpoint is without it. So is it said, too, that a
   * dataset which the restored version has and nothing protects is not wanted any more.
   */
  public void unprotect(String name) {
    try (Turn.Held _ = turn.join("unprotect()")) {
      if (!unclaimed.settle(name)) {
        dataset(name);
        datasets.remove(name);
      }
    }
  }

  /** A protected dataset. */
  public Dataset dataset(String name) {
    Dataset dataset = datasets.get(name);
    if (dataset == null) {
      throw new IllegalArgumentException(
          "dataset \"%s\" is not protected; protected are %s".formatted(name, datasets.keySet()));
    }
    return dataset;
  }

  /** All protected datasets. */
  public Collection<Dataset> datasets() {
    return List.copyOf(datasets.values());
  }

  // ---------------------------------------------------------------- restart

  /** Restores all protected datasets from the newest version that is whole. */
  public RestartReport restart() {
    return restart(RestartRequest.newest());
  }

  /**
   * Restores what is asked for; if the program has changed since, as {@link RestartRequest#rename},
   * {@link RestartRequest#converting} and {@link RestartRequest#orElse} say. Datasets of the
   * version that are protected later are restored then; see {@link RestartRequest#dropping} for
   * those that nothing protects any more.
   *
   * @throws org.cairn.restart.CheckpointUnavailableException if there are versions, but none can be
   *     restored
   * @throws org.cairn.dataset.DatasetMismatchException if a dataset was saved with another type or
   *     shape than is protected now
   * @throws CheckpointFailedException if it failed, or a checkpoint in the background had, which
   *     nobody was told of; in that case nothing was restored, and the next call tries
   */
  public RestartReport restart(RestartRequest request) {
    try (Turn.Held _ = turn.take("restart()")) {
      ensureOpen();
      settleTogether();
      Map<String, Dataset> known = new LinkedHashMap<>(datasets);
      RestartReport report = restore(request, known);
      refuseWithoutDatasets(report);
      claim(datasets.values().stream().filter(one -> !known.containsKey(one.name())).toList());
      return report;
    }
  }

  private RestartReport restore(RestartRequest request, Map<String, Dataset> known) {
    FlightEvents.Restart flight = new FlightEvents.Restart();
    flight.begin();
    restoring = true;
    // Several threads a core: while most wait for the disk, others verify.
    try (Workers readers = new Workers(options.readers(), "cairn-reader")) {
      if (request.otherwise() == RestartRequest.Otherwise.REFUSE) {
        refuseStateOfMany();
      }
      boolean onlyReads = job.lineage().isPresent() && !request.only().isEmpty();
      RestartReport report =
          job.restart(
              request, container -> new Restarter(container, known, readers, options.clock()));
      if (!onlyReads) {
        unclaimed = Unclaimed.after(report, request, known.keySet());
        claimsOpen = true;
      }
      identifyEvents();
      logRestart(report, request, flight);
      startComputing();
      return report;
    } catch (IOException e) {
      throw new CheckpointFailedException(
          "restart from " + location() + " failed: " + e.getMessage(), e);
    } finally {
      restoring = false;
    }
  }

  /** Such a restart has restored nothing, and the next checkpoint would drop all that there is. */
  private void refuseWithoutDatasets(RestartReport report) {
    if (job.isAlone() && datasets.isEmpty() && !report.ignored().isEmpty()) {
      throw new IllegalStateException(
          "nothing is protected, so restart() restored nothing of %s in %s; call protect() first"
              .formatted(report.ignored(), location()));
    }
  }

  /** What many ranks saved beside where a single one would is not nothing. */
  private void refuseStateOfMany() throws IOException {
    if (siblings != null && job.lineage().isEmpty() && job.foundAtStart().isEmpty()) {
      OtherSizes.refuse(siblings, job.name());
    }
  }

  private void identifyEvents() {
    job.lineage()
        .ifPresent(
            lineage -> events.identify(lineage.job().toString(), lineage.run().id().toString()));
  }

  private void logRestart(
      RestartReport report, RestartRequest request, FlightEvents.Restart flight) {
    for (String problem : report.problems()) {
      LOG.warn("restart: {}", problem);
    }
    if (!report.ignored().isEmpty()) {
      LOG.warn("restart: the checkpoint also has {}, which nothing protects", report.ignored());
    }
    report.changed().forEach(change -> LOG.info("restart: {}", change));
    if (!request.dropping().isEmpty()) {
      LOG.info("restart: goes on without {}, if there are such", request.dropping());
    }
    String version = report.version().map(Object::toString).orElse("");
    flight.version = version;
    flight.bytes = report.bytes();
    flight.problems = report.problems().size();
    flight.commit();
    events.append(
        new Event("restart", options.clock().now())
            .with("version", version)
            .with("bytes", report.bytes())
            .with("seconds", seconds(report.duration()))
            .with("problems", report.problems())
            .with("origins", report.origins()));
    LOG.info("restart: version {}, {} bytes", version, report.bytes());
  }

  // ---------------------------------------------------------------- checkpoint

  /**
   * Takes a checkpoint: synchronous, returning when it is durable, unless {@link
   * Options#asynchronous(boolean)} was chosen.
   *
   * @throws CheckpointFailedException if it failed; or if one in the background had, which nobody
   *     was told of: then this call took none, and says so, and the next one tries
   * @throws IllegalStateException on all ranks, if the restored version has datasets on any of them
   *     that nothing protects and nobody has given up; nothing is changed
   */
  public Checkpoint checkpoint() {
    try (Turn.Held _ = turn.take("checkpoint()")) {
      return checkpoint(options.asynchronous(), Label.none());
    }
  }

  /**
   * Takes a checkpoint and returns as soon as the dirty blocks are copied aside. If it fails after
   * that, {@link Checkpoint#await} tells; if nobody has asked, the next call.
   */
  public Checkpoint checkpointAsync() {
    try (Turn.Held _ = turn.take("checkpointAsync()")) {
      return checkpoint(true, Label.none());
    }
  }

  /**
   * Takes a checkpoint that is found again: with a label and a note, perhaps to be kept for ever.
   * It waits for the one before rather than being skipped; one that is to be kept goes to every
   * tier. Of many ranks, all call this, and what the first one says counts.
   */
  public Checkpoint checkpoint(Label label) {
    try (Turn.Held _ = turn.take("checkpoint()")) {
      return checkpoint(options.asynchronous(), label);
    }
  }

  private Checkpoint checkpoint(boolean asynchronous, Label label) {
    try {
      if (!label.isNone()) {
        awaitBackground();
      }
      return mustSkip() ? Checkpoint.skipped() : take(asynchronous, label);
    } catch (OutOfMemoryError e) {
      // As any other failure: ranks that had enough are told of it in the same way.
      throw new CheckpointFailedException(
          "checkpoint failed for want of memory or threads: %s; give the JVM more, or let fewer ranks share the machine"
              .formatted(e),
          e);
    }
  }

  private Checkpoint take(boolean asynchronous, Label label) {
    CheckpointBuilder builder = begin(asynchronous, label);
    try {
      return builder.commitInTurn();
    } catch (RuntimeException | Error e) {
      builder.abortInTurn();
      throw e;
    }
  }

  /** Whose call is going on. */
  Turn turn() {
    return turn;
  }

  Checkpoint awaitNow(Checkpoint taken) {
    try {
      return taken.await();
    } finally {
      startComputing();
    }
  }

  /** The time between checkpoints begins now, on all ranks. */
  private void startComputing() {
    computingSince = options.clock().nanos();
    job.resetTrigger();
  }

  /**
   * Takes a checkpoint if the interval chosen in {@link Options} has passed since the last one, or
   * since the start. In a parallel program all ranks call it equally often, once a step for
   * example; most calls send no message.
   */
  public Optional<Checkpoint> checkpointIfDue() {
    try (Turn.Held _ = turn.take("checkpointIfDue()")) {
      ensureOpen();
      if (job.isAlone()) {
        reportFailure(onlyTold());
      }
      if (!isDue()) {
        return Optional.empty();
      }
      Checkpoint taken = checkpoint(options.asynchronous(), Label.none());
      return taken.isSkipped() ? Optional.empty() : Optional.of(taken);
    }
  }

  private boolean isDue() {
    Duration computing = Duration.ofNanos(options.clock().nanos() - computingSince);
    Interval interval = options.interval();
    return job.isAlone()
        ? computing.compareTo(interval.next(expectedCost())) >= 0
        : job.isDue(computing, expectedCost(), interval::next);
  }

  private Duration expectedCost() {
    double seconds = costSeconds;
    if (Double.isNaN(seconds)) {
      seconds = protectedBytes() / ASSUMED_BYTES_PER_SECOND;
    }
    return Duration.ofNanos((long) (seconds * 1e9));
  }

  private long protectedBytes() {
    return datasets.values().stream().mapToLong(Dataset::byteSize).sum();
  }

  /**
   * Starts a checkpoint that is completed step by step; like {@link #checkpoint()} its {@code
   * commit} returns when it is durable, unless asynchronous checkpoints were chosen.
   */
  public CheckpointBuilder begin() {
    return begin(Label.none());
  }

  /** The same with a label, see {@link #checkpoint(Label)}. */
  public CheckpointBuilder begin(Label label) {
    try (Turn.Held _ = turn.take("begin()")) {
      return begin(options.asynchronous(), label);
    }
  }

  private CheckpointBuilder begin(boolean asynchronous, Label label) {
    ensureOpen();
    settle();
    refuseToDropUnclaimed();
    FlightEvents.Checkpoint flight = new FlightEvents.Checkpoint();
    flight.begin();
    try {
      decideJob();
      CheckpointBuilder builder =
          job.isAlone()
              ? beginAlone(asynchronous, label, flight)
              : beginTogether(asynchronous, label, flight);
      building = builder;
      return builder;
    } catch (IOException e) {
      throw new CheckpointFailedException("checkpoint cannot start: " + e.getMessage(), e);
    }
  }

  /**
   * The first checkpoint after a restart must not lose what nothing protects. Ranks may differ in
   * what they protect; what one of them must not do, none does.
   */
  private void refuseToDropUnclaimed() {
    if (claimsOpen) {
      job.refuseTogether(unclaimed.refusal(location()));
      claimsOpen = false;
    }
  }

  /** A program that never restarts begins a job with its first checkpoint, if it finds none. */
  private void decideJob() throws IOException {
    if (job.lineage().isEmpty()) {
      refuseStateOfMany();
      job.ensureDecided();
      identifyEvents();
    }
  }

  private CheckpointBuilder beginAlone(
      boolean asynchronous, Label label, FlightEvents.Checkpoint flight) throws IOException {
    // Before the commit: it asks the program, which may have no answer.
    long bytes = protectedBytes();
    Commit commit = local().usable().begin(job.nextAlone(), options.clock().now());
    commit.label(label);
    CheckpointRun run = start(commit, asynchronous, bytes);
    CompletableFuture<CheckpointStats> result =
        run.result().whenComplete((stats, failure) -> logEnd(commit.id(), flight, stats, failure));
    Checkpoint handle = new Checkpoint(commit.id(), result, Map.of(), job.activity());
    return new CheckpointBuilder(this, run, handle, asynchronous, failure -> {});
  }

  /** What cannot be begun must not stay open: nothing else could be begun after it. */
  private CheckpointRun start(Commit commit, boolean asynchronous, long bytes) {
    try {
      return pipeline.start(commit, options.strategy(), asynchronous, bytes);
    } catch (RuntimeException | Error e) {
      commit.abort();
      throw e;
    }
  }

  /** A rank that cannot begin tells the others before it throws. */
  private CheckpointBuilder beginTogether(
      boolean asynchronous, Label label, FlightEvents.Checkpoint flight) throws IOException {
    long bytes = 0;
    Throwable mine = null;
    try {
      bytes = protectedBytes();
      local().usable();
    } catch (IOException | RuntimeException | Error e) {
      mine = e;
    }
    Job.Ticket ticket = job.next(mine, isUntold(), label).orElseThrow(this::failedBefore);
    CompletableFuture<CheckpointStats> outcome = new CompletableFuture<>();
    Job.Outcome<CheckpointStats> agreed = job.agree(ticket, outcome);
    CompletableFuture<CheckpointStats> result =
        agreed
            .local()
            .whenComplete((stats, failure) -> logEnd(ticket.version(), flight, stats, failure));
    Checkpoint handle = new Checkpoint(ticket.version(), result, agreed.tiers(), job.activity());
    try {
      Commit commit = local().usable().begin(ticket.version(), options.clock().now());
      commit.tiers(ticket.tiers());
      commit.label(ticket.label());
      CheckpointRun run = start(commit, asynchronous, bytes);
      run.result().whenComplete((stats, failure) -> pass(stats, failure, outcome));
      return new CheckpointBuilder(this, run, handle, asynchronous, outcome::completeExceptionally);
    } catch (IOException | RuntimeException | Error e) {
      outcome.completeExceptionally(e);
      endTogether(handle, asynchronous);
      throw e;
    }
  }

  /**
   * This rank's part in a checkpoint ended early, and its program knows. The others learn of it now
   * or, asynchronously, by a handle or their next call.
   */
  private void endTogether(Checkpoint handle, boolean asynchronous) {
    job.conclude();
    last = handle;
    handle.tell();
    if (!asynchronous) {
      awaitBackground();
    }
  }

  private static void pass(
      @Nullable CheckpointStats stats,
      @Nullable Throwable failure,
      CompletableFuture<CheckpointStats> to) {
    if (stats != null) {
      to.complete(stats);
    } else if (failure != null) {
      to.completeExceptionally(failure);
    }
  }

  void finished(Checkpoint handle) {
    building = null;
    last = handle;
    job.conclude();
    startComputing();
  }

  void aborted(Checkpoint handle, boolean asynchronous) {
    building = null;
    if (!job.isAlone() && !closing) {
      endTogether(handle, asynchronous);
    }
    LOG.info("checkpoint {} was aborted", handle.version());
  }

  private boolean mustSkip() {
    ensureOpen();
    Checkpoint before = last;
    boolean busy = before != null && !before.isDone() && options.whenBusy() == WhenBusy.SKIP;
    if (job.isAlone()) {
      reportFailure(onlyTold());
      return busy;
    }
    // Whether it is done may be seen at different times; all ranks must do the same.
    return options.whenBusy() == WhenBusy.SKIP && job.isAnywhere(busy);
  }

  /** Waits for the checkpoint before, and tells of its failure if there is nobody to agree with. */
  private void settle() {
    if (building != null) {
      throw new IllegalStateException("the checkpoint begun before was neither ended nor aborted");
    }
    awaitBackground();
    if (job.isAlone()) {
      reportFailure(onlyTold());
    }
  }

  /** As {@link #settle}, and ranks agree whether to tell; collective. */
  private void settleTogether() {
    settle();
    if (!job.isAlone() && job.isAnywhere(isUntold())) {
      throw failedBefore();
    }
  }

  /** Whether the checkpoint before failed, and the program was not told on this rank. */
  private boolean isUntold() {
    Checkpoint before = last;
    return before != null && before.hasFailed() && !before.isTold();
  }

  /**
   * The checkpoint before failed and a rank was not told. All throw, also those that were:
   * otherwise calls of different ranks would no longer belong together.
   */
  private CheckpointFailedException failedBefore() {
    Checkpoint before = Objects.requireNonNull(last);
    return before.failedBefore(onlyTold(), before.tell());
  }

  /**
   * Tells of the failure of the checkpoint before if it is known, and nobody has been told.
   *
   * @param then what became of the call that tells
   */
  private void reportFailure(String then) {
    Checkpoint before = last;
    if (before != null && before.hasFailed() && before.tell()) {
      throw before.failedBefore(then, true);
    }
  }

  /** A call that tells of a failure does nothing else. */
  private String onlyTold() {
    return turn.call() + " did nothing but tell this, call it again";
  }

  private void logEnd(
      VersionId version,
      FlightEvents.Checkpoint flight,
      @Nullable CheckpointStats stats,
      @Nullable Throwable failure) {
    flight.version = version.toString();
    if (stats != null) {
      logDurable(stats, flight);
    } else if (failure != null) {
      logFailed(version, failure, flight);
    }
    flight.commit();
  }

  private void logDurable(CheckpointStats stats, FlightEvents.Checkpoint flight) {
    double cost = seconds(stats.waited());
    double before = costSeconds;
    costSeconds = Double.isNaN(before) ? cost : before + COST_WEIGHT * (cost - before);
    flight.decision = stats.decision();
    flight.blocks = stats.blocks();
    flight.dirtyBlocks = stats.dirtyBlocks();
    flight.bytesWritten = stats.bytesWritten();
    flight.protectedBytes = stats.protectedBytes();
    flight.waited = stats.waited().toNanos();
    flight.untilDurable = stats.untilDurable().toNanos();
    flight.hashing = stats.hashing().toNanos();
    flight.copying = stats.copying().toNanos();
    flight.writing = stats.writing().toNanos();
    flight.forcing = stats.forcing().toNanos();
    Container.Usage usage = local().get().usage();
    events.append(
        new Event("checkpoint", options.clock().now())
            .with("version", stats.version().toString())
            .with("full", stats.full())
            .with("decision", stats.decision())
            .with("protectedBytes", stats.protectedBytes())
            .with("blocks", stats.blocks())
            .with("dirtyBlocks", stats.dirtyBlocks())
            .with("movedBlocks", stats.movedBlocks())
            .with("bytesWritten", stats.bytesWritten())
            .with("waitedSeconds", cost)
            .with("durableSeconds", seconds(stats.untilDurable()))
            .with("hashSeconds", seconds(stats.hashing()))
            .with("copySeconds", seconds(stats.copying()))
            .with("writeSeconds", seconds(stats.writing()))
            .with("forceSeconds", seconds(stats.forcing()))
            .with("fileBytes", usage.fileBytes())
            .with("liveBytes", usage.liveBytes()));
    LOG.info("checkpoint {}: {}", stats.version(), stats);
    job.scrubSome();
  }

  private void logFailed(VersionId version, Throwable failure, FlightEvents.Checkpoint flight) {
    flight.failure = failure.toString();
    if (failure instanceof CancellationException) {
      // The program wanted it so.
      events.append(
          new Event("checkpointAborted", options.clock().now())
              .with("version", version.toString()));
      return;
    }
    events.append(
        new Event("checkpointFailed", options.clock().now())
            .with("version", version.toString())
            .with("failure", failure.toString()));
    LOG.warn("checkpoint {} failed: {}", version, failure.toString());
    job.nameOthersIfFull(failure);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() * 1e-9;
  }

  // ---------------------------------------------------------------- asking, closing

  /** The retained versions, newest first. */
  public List<VersionInfo> versions() {
    ensureOpen();
    awaitBackground();
    return job.local().map(local -> local.get().versions()).orElseGet(job::ownAtStart);
  }

  /** How the container uses its file, and memory for maps. */
  public Container.Usage usage() {
    ensureOpen();
    awaitBackground();
    return job.local()
        .map(local -> local.get().usage())
        .orElseGet(() -> new Container.Usage(0, 0, 0, 0));
  }

  /**
   * Brings the newest version to a tier now, whenever its turn would be; collective. Returns when
   * all ranks have it there.
   *
   * @throws CheckpointFailedException if it did not get there; it is where it was before
   */
  public void flush(TierKind tier) {
    try (Turn.Held _ = turn.take("flush()")) {
      ensureOpen();
      settleTogether();
      job.flush(tier);
    } catch (IOException e) {
      throw new CheckpointFailedException(
          "the newest version did not reach the %s tier: %s"
              .formatted(tier.label(), e.getMessage()),
          e);
    }
  }

  private void awaitBackground() {
    Checkpoint before = last;
    if (before != null) {
      before.awaitEnd();
    }
  }

  private void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("this Checkpointer is closed");
    }
  }

  /**
   * Waits for the checkpoint in the background, then lets go of everything; a checkpoint that was
   * begun step by step and not ended is aborted. Closing again does nothing.
   *
   * <p>Another thread may do it, a shutdown hook for example, between two calls of the program,
   * which is refused from then on. While a call is going on, {@code close} is refused instead and
   * nothing changes: who ends the process then loses nothing that was durable. If another thread is
   * closing, this waits for it. Over a transport that serves one thread, only the thread that
   * opened can close.
   *
   * @throws CheckpointFailedException if that checkpoint failed and nobody was told yet; everything
   *     is closed then
   * @throws IllegalStateException if another call is going on, or this is called by a function of
   *     the program that Cairn calls
   */
  @Override
  public void close() {
    try (Turn.Held _ = turn.takeToClose()) {
      if (!closed) {
        refuseForeignThread();
        closeInTurn();
      }
    }
  }

  private void refuseForeignThread() {
    if (job.servesOneThread() && Thread.currentThread() != opener) {
      throw new IllegalStateException(
          "close() was called by thread %s, but the transport serves only thread %s, which opened it"
              .formatted(Thread.currentThread().getName(), opener.getName()));
    }
  }

  private void closeInTurn() {
    Closing steps = new Closing().then(this::finish);
    closed = true;
    steps.then(pipeline::close).then(crew::close).then(job::close);
    if (steps.isClean()) {
      steps.then(this::sayThatAllIsWell);
    }
    try {
      steps.then(watch::close).then(() -> LastWords.withdraw(events)).then(events::close).end();
    } catch (IOException e) {
      throw new CheckpointFailedException("closing " + location() + " failed", e);
    }
    reportFailure("all is closed");
  }

  private void finish() {
    if (building != null) {
      // The program failed half way through a checkpoint, perhaps on this rank alone, and others
      // may be waiting for what it was to send them.
      closing = true;
      building.abortInTurn();
      job.abandon();
    } else {
      awaitBackground();
      job.flushAll(options.flushOnClose());
    }
  }

  private void sayThatAllIsWell() throws IOException {
    Evacuation saving = evacuation;
    if (saving != null) {
      saving.finish();
    }
    // A log that ends neither with this nor with last words tells of a program that was killed.
    events.append(new Event("close", options.clock().now()));
  }
}
