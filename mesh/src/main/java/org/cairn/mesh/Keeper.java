// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.cairn.Checkpoint;
import org.cairn.CheckpointBuilder;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.Dataset;
import org.cairn.comm.Communicator;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.live.LoopPlace;
import org.cairn.mesh.live.Verification;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a program of loops safe: follows what it does, takes checkpoints where least has to be
 * saved, and leads it back after a crash.
 *
 * <p>A checkpoint begins at a place, before a loop. What is predicted to be needed is saved at
 * once; the loops that follow are watched, and what they need beside that is saved before they run.
 * When nothing is open any more it becomes a version. What the program was told is recorded: a
 * version has the record up to its place, and a replay gives the values again.
 */
final class Keeper {
  private static final Logger LOG = LoggerFactory.getLogger(Mesh.class);

  private final Communicator ranks;
  private final MeshOptions options;
  private final Fields fields;
  private final KnownLoops known;
  private final Checkpointer cairn;
  private final Chain chain = new Chain();
  private final Cells cells = new Cells();
  private final DirtyFractions dirty = new DirtyFractions();
  private final Placing placing;
  private final Datasets datasets;
  private final Bookkeeping books;
  private final Asking asking;
  private final List<SavedProgram.SavedGrid> grids = new ArrayList<>();
  private final ReplayTime replayTime;

  private Optional<Plan> plan = Optional.empty();
  private @Nullable Plan installed;
  private @Nullable Region region;
  private @Nullable Replay replay;
  private int before = -1;
  private long readyAt = -1;
  private boolean wanted;
  private Moment moment = Moment.UNKNOWN;
  private boolean warnedOfReplay;
  private Optional<RuntimeException> loopFailure = Optional.empty();

  /** The call by which the place should have come again; if not, another one is looked for. */
  private long awaitedUntil = Long.MAX_VALUE;

  /** Set by the first call of here(): then nothing is recorded any more. */
  private boolean usesHere;

  private final long opened = System.nanoTime();
  private long restoredNanos;
  private long waitedNanos;
  private long committed;
  private @Nullable Checkpoint last;

  private long calledHere;
  private final Callers callers = new Callers();
  private long nextHereLook;

  Keeper(
      Checkpointer cairn,
      Communicator ranks,
      MeshOptions options,
      Fields fields,
      KnownLoops known) {
    this.ranks = ranks;
    this.options = options;
    this.fields = fields;
    this.known = known;
    this.asking = new Asking(ranks, options.checkpoints());
    this.cairn = cairn;
    this.datasets = new Datasets(cairn, ranks.rank());
    this.books = new Bookkeeping(cairn, chain);
    this.placing = new Placing(ranks, options, fields, known, chain, dirty);
    this.replay = Replay.find(cairn, options, ranks, datasets, books).orElse(null);
    this.replayTime = new ReplayTime();
  }

  Cells cells() {
    return cells;
  }

  boolean isReplaying() {
    return replay != null;
  }

  // ---------------------------------------------------------------- what the program has

  void made(Data field, Coordinates coordinates) {
    Domain domain = field.domain();
    int[] size = domain.bricks().cells();
    SavedProgram.SavedGrid grid =
        new SavedProgram.SavedGrid(
            domain.name(),
            domain.axes(),
            size,
            domain.halo(),
            coordinates.origin(),
            coordinates.spacing());
    if (!domain.isLine() && grids.stream().noneMatch(one -> one.name().equals(grid.name()))) {
      if (replay != null) {
        replay.require(grid);
      }
      grids.add(grid);
    }
    if (replay != null) {
      replay.require(field);
    }
  }

  /** A loop is met for the first time. */
  void met(KnownLoop loop) {
    if (replay != null) {
      replay.require(loop, chain.calls());
      replay.warnIfChanged(loop);
    }
  }

  // ---------------------------------------------------------------- before each loop

  /** Returns whether the loop is to be run. */
  boolean before(KnownLoop loop) {
    Replay now = replay;
    if (now != null && !now.isAt(chain.calls())) {
      boolean runs = now.runsAt(chain.calls());
      count(loop);
      return runs;
    }
    if (now != null) {
      arrive(now);
    }
    follow(loop);
    return true;
  }

  private void follow(KnownLoop loop) {
    replayTime.next();
    if (region != null) {
      watch(loop);
    }
    if (region == null && !usesHere) {
      if (plan.isPresent() && plan.get().isAt(loop.id(), before) && !hasToLook()) {
        take(plan.get());
        awaitAgain();
      } else if (placing.isDue() || isLost() || hasToLook()) {
        if (placing.mayLook(isLost() ? Optional.empty() : plan, wanted)) {
          look(loop);
        }
        awaitAgain();
      }
      if (region != null) {
        watch(loop);
      }
    }
    count(loop);
  }

  /** Whether a checkpoint is wanted, and where it is best taken was never looked at in earnest. */
  private boolean hasToLook() {
    return wanted && (plan.isEmpty() || placing.isGlance());
  }

  /** Whether the place should have come again. */
  private boolean isLost() {
    return chain.calls() > awaitedUntil;
  }

  private void awaitAgain() {
    awaitedUntil = plan.isPresent() ? chain.calls() + 2 * plan.get().distance() : Long.MAX_VALUE;
  }

  /**
   * A loop has thrown. A replay leaves it out, and so would not lead a program that goes on from
   * here to where it was: what is saved has to be from before, unless the loop will be run again.
   */
  void failed(KnownLoop loop, Throwable why) {
    if (usesHere) {
      return;
    }
    loopFailure =
        Optional.of(
            new IllegalStateException(
                "loop \"%s\" has thrown an exception, which a replay would not do, so nothing is saved any more; let kernels note what is wrong in a field, and ask for that by a reduction (%s)"
                    .formatted(loop.name(), why)));
    if (region != null) {
      region.failed(loopFailure.get());
    }
  }

  /** A loop has run. */
  void ran() {
    replayTime.ran(chain.calls());
  }

  private void count(KnownLoop loop) {
    fields.count(loop);
    before = loop.id();
    if (chain.next(loop.id()) && replay != null) {
      replay.require(chain, known);
    }
  }

  private void look(KnownLoop loop) {
    Optional<Plan> found = placing.look(plan);
    if (found.isPresent()) {
      plan = found;
      if (found.get().isAt(loop.id(), before)) {
        take(found.get());
      }
    } else {
      plan = found; // what was known of another phase leads nowhere
      take(placing.everything(new LoopPlace(loop.id(), before), false));
    }
  }

  // ---------------------------------------------------------------- checkpoints

  void list(List<Data> saved) {
    placing.list(saved);
  }

  void want() {
    wanted = replay == null;
  }

  private void take(Plan at) {
    if (!wanted && !asking.isTime()) {
      return;
    }
    if (last != null) {
      dirty.learn(last);
    }
    Optional<RuntimeException> failure = installed(at).or(() -> loopFailure);
    books.noteLate(List.of()); // where the last one failed on some ranks, those know less of it
    try {
      long start = System.nanoTime();
      Optional<CheckpointBuilder> begun = begin();
      if (begun.isPresent()) {
        save(at, begun.get(), failure);
        waitedNanos += System.nanoTime() - start;
      }
    } catch (CheckpointFailedException e) {
      LOG.warn("a checkpoint failed, and the program goes on without it: {}", e.getMessage());
    }
  }

  private Optional<CheckpointBuilder> begin() {
    if (wanted) {
      wanted = false;
      return Optional.of(cairn.begin());
    }
    return cairn.beginIfDue();
  }

  /** Where there is no room for what is to be saved, other ranks learn of it when all commit. */
  private Optional<RuntimeException> installed(Plan at) {
    if (at == installed) {
      return Optional.empty();
    }
    try {
      installed = null; // half of it must not be taken for all
      install(at);
      return Optional.empty();
    } catch (OutOfMemoryError e) {
      return Optional.of(Region.notEnoughMemory(e));
    }
  }

  private void install(Plan at) {
    Map<SavedField, Data> wantedFields = new LinkedHashMap<>();
    for (Data field : fields.list()) {
      Boxes points = field.index() < at.save().size() ? at.save().get(field.index()) : Boxes.NONE;
      if (!points.isEmpty()) {
        wantedFields.put(SavedField.of(field, points), field);
      }
    }
    // First, and so on all ranks: what was saved decides when a region ends, also where it failed.
    books.saved(List.copyOf(wantedFields.keySet()));
    datasets.install(wantedFields);
    installed = at;
  }

  private void save(Plan at, CheckpointBuilder builder, Optional<RuntimeException> before) {
    Region begun =
        new Region(
            builder,
            new Verification(at.isListed() ? savedPoints() : fields.written(), savedPoints()),
            chain.calls() + Math.max(1, Math.min(at.distance(), placing.halfInterval())));
    region = begun;
    before.ifPresent(begun::failed);
    ReplayTime.Pace pace = pace();
    warnOfLongReplay(at, pace);
    books.note(program(at, pace), cells);
    if (before.isEmpty()) {
      addAtPlace(begun);
    }
    endIfOver(begun);
  }

  private void addAtPlace(Region begun) {
    try {
      begun.builder().add(books.atPlace());
      begun.builder().add(datasets.gather(fields));
    } catch (RuntimeException e) {
      begun.failed(e);
    } catch (OutOfMemoryError e) {
      begun.failed(Region.notEnoughMemory(e));
    }
  }

  /** What is saved of each field: of those that lie in place more than was planned. */
  private List<Boxes> savedPoints() {
    List<Boxes> saved = new ArrayList<>();
    for (Data field : fields.list()) {
      saved.add(
          books.saved().stream()
              .filter(one -> one.path().equals(field.path()))
              .map(SavedField::points)
              .findFirst()
              .orElse(Boxes.NONE));
    }
    return saved;
  }

  /** How far the program is. */
  void time(long step, double time) {
    moment = new Moment(true, step, time);
  }

  /** How long a replay would take, as the first rank says: all save the same. */
  private ReplayTime.Pace pace() {
    ReplayTime.Pace mine = replayTime.pace();
    if (ranks.size() == 1) {
      return mine;
    }
    long[] words = {
      mine.initialNanos(),
      Double.doubleToRawLongBits(mine.nanosPerCall()),
      mine.isMeasured() ? 1 : 0
    };
    ranks.broadcast(words, 0);
    return new ReplayTime.Pace(words[0], Double.longBitsToDouble(words[1]), words[2] != 0);
  }

  private void warnOfLongReplay(Plan at, ReplayTime.Pace pace) {
    if (at.isHere() || warnedOfReplay || ranks.rank() != 0) {
      return;
    }
    Optional<String> warning = pace.warning(chain.calls() - Math.max(0, readyAt));
    warning.ifPresent(LOG::warn);
    warnedOfReplay = warning.isPresent();
  }

  private SavedProgram program(Plan at, ReplayTime.Pace pace) {
    return new SavedProgram(
        ranks.size(),
        chain.calls(),
        chain.digest(),
        readyAt,
        at.isHere(),
        calledHere,
        books.recordedHere(),
        List.copyOf(grids),
        fields.list().stream().map(Replay::words).toList(),
        books.saved(),
        known.descriptions(),
        at.place().loop(),
        at.place().before(),
        Map.of(),
        at.report(),
        moment,
        pace,
        known.bodies());
  }

  private void watch(KnownLoop loop) {
    Region open = region;
    if (open != null) {
      long start = System.nanoTime();
      open.before(loop, fields);
      endIfOver(open);
      waitedNanos += System.nanoTime() - start;
    }
  }

  private void endIfOver(Region open) {
    if (open.isOver(chain.calls())) {
      end(open);
    }
  }

  private void end(Region open) {
    region = null;
    List<Datasets.Late> late = open.late();
    try {
      open.keepRest(fields);
      RuntimeException failure = open.failure();
      if (failure != null) {
        throw failure;
      }
      books.noteLate(late);
      open.builder().add(books.late());
      if (!late.isEmpty()) {
        open.builder().add(datasets.protectLate(late, fields).toArray(Dataset[]::new));
      }
      last = open.builder().commitAdded();
      committed++;
    } catch (RuntimeException | OutOfMemoryError e) {
      open.builder().abort();
      LOG.warn("a checkpoint failed, and the program goes on without it: {}", e.getMessage());
    } finally {
      datasets.giveUpLate(late);
    }
  }

  // ---------------------------------------------------------------- restarts

  private void arrive(Replay now) {
    now.requireReadyAt(readyAt);
    replay = null;
    now.arrive(chain, fields, cells, options.hooks().poisons());
    for (Data field : fields.list()) {
      field.fresh(0);
    }
    placing.startAt(chain.calls());
    SavedProgram saved = now.saved();
    if (saved.isHere()) {
      usesHere = true;
      loopFailure = Optional.empty(); // what came before is run again
      moment = saved.moment();
    } else if (saved.loop() >= 0) {
      Plan same = now.plan(fields, placing.isListed());
      plan = Optional.of(same);
      installed = same;
      awaitAgain();
    }
    replayTime.arrived(chain.calls());
    restoredNanos = System.nanoTime() - opened;
    LOG.info("went on from call {}: {}", chain.calls(), now.summary());
  }

  void ready() {
    if (readyAt >= 0) {
      throw new IllegalStateException("ready() was called before; the initial phase ends once");
    }
    if (usesHere) {
      throw new IllegalStateException(
          "ready() comes after here(), and a restart goes on at the first here(): what comes before is run again in any case; leave ready() out, or call it before");
    }
    readyAt = chain.calls();
    loopFailure = Optional.empty(); // the initial phase is run again, and throws again
    replayTime.ready(readyAt);
    if (replay != null) {
      replay.requireReadyAt(readyAt);
    }
    fields.forgetWritten();
  }

  <T> T protect(String name, T cell) {
    if (usesHere) {
      throw new IllegalStateException(
          "the number \"%s\" is protected after here(), which could not set it at a restart; protect it before the first here()"
              .formatted(name));
    }
    return cells.add(name, cell);
  }

  boolean here(Data[] listed) {
    Replay now = replay;
    if (now != null) {
      return arriveHere(now);
    }
    noteCaller();
    if (!usesHere) {
      usesHere = true;
      loopFailure = Optional.empty(); // what came before is run again
      calledHere = chain.calls();
      before = -1;
      plan = Optional.empty();
    }
    Region open = region;
    if (open != null) {
      long start = System.nanoTime();
      end(open);
      waitedNanos += System.nanoTime() - start;
    }
    takeHere(listed);
    return false;
  }

  /** A restart goes on at the first here(), wherever the version was taken. */
  private void noteCaller() {
    if (callers.tellsOfAnother() && ranks.rank() == 0) {
      LOG.warn(
          "here() is called at two places, {}: a restart goes on at the one that comes first, and has to come to the other one with what it restored",
          callers);
    }
  }

  private boolean arriveHere(Replay now) {
    noteCaller();
    if (!now.saved().isHere()) {
      return false; // of a life that had found its place before the first here()
    }
    now.requireHereAt(chain.calls());
    calledHere = chain.calls();
    arrive(now);
    return true;
  }

  private void takeHere(Data[] listed) {
    KnownLoop marker = books.marker(known, fields);
    Optional<Plan> now =
        Optional.ofNullable(installed).filter(one -> one.isHere() && !one.isListed());
    if (listed.length > 0) {
      take(unlessInstalled(placing.listedHere(marker.id(), List.of(listed))));
    } else if (looksHere(now)) {
      take(unlessInstalled(placing.here(marker.id())));
    } else {
      now.ifPresent(this::take);
    }
    count(marker);
  }

  private boolean looksHere(Optional<Plan> now) {
    if (now.isPresent() && chain.calls() < nextHereLook) {
      return false;
    }
    nextHereLook = chain.calls() * 2;
    return placing.mayLook(now, wanted);
  }

  /** The plan that is followed already, where it says the same: its datasets stay. */
  private Plan unlessInstalled(Plan found) {
    Plan now = installed;
    return now != null
            && now.isHere()
            && now.isListed() == found.isListed()
            && now.save().equals(found.save())
        ? now
        : found;
  }

  // ---------------------------------------------------------------- values

  /** What a reduction that was left out gave. */
  double given() {
    return books.journal().nextDouble();
  }

  /** What a reduction gives that was run: in a replay of the initial phase what it gave before. */
  double gave(double value) {
    if (replay != null) {
      return given();
    }
    if (!usesHere) {
      books.journal().append(value);
    }
    return value;
  }

  @SuppressWarnings("unchecked") // what was recorded is what the function gave
  <T> T record(Supplier<T> what) {
    if (replay != null) {
      return (T) books.journal().next();
    }
    Journal words = new Journal();
    Optional<RuntimeException> failure =
        ranks.rank() == 0 ? words.appendGivenBy(what) : Optional.empty();
    byte[] said = ranks.announce(words.tail().memory().toArray(ValueLayout.JAVA_BYTE), 0);
    if (!usesHere) {
      books.journal().appendEncoded(said);
    }
    return (T) given(said, failure);
  }

  @SuppressWarnings("unchecked") // what was recorded is what the function gave
  <T> T recordHere(Supplier<T> what) {
    if (replay != null) {
      return (T) books.own().next();
    }
    Journal words = new Journal();
    Optional<RuntimeException> failure = words.appendGivenBy(what);
    byte[] said = words.tail().memory().toArray(ValueLayout.JAVA_BYTE);
    if (!usesHere) {
      books.recordOwn(said);
    }
    return (T) given(said, failure);
  }

  /** What was said, as a replay will read it; this rank may know better why there is nothing. */
  private static Object given(byte[] said, Optional<RuntimeException> failure) {
    if (failure.isPresent()) {
      throw failure.get();
    }
    Journal words = new Journal();
    words.restore(MemorySegment.ofArray(new byte[0]), MemorySegment.ofArray(said));
    return words.next();
  }

  String report() {
    return plan.map(Plan::report).orElse(installed == null ? "" : installed.report());
  }

  MeshStats stats() {
    Checkpoint newest = last;
    return new MeshStats(
        chain.calls(),
        Duration.ofNanos(placing.nanos()),
        committed,
        Duration.ofNanos(waitedNanos),
        Duration.ofNanos(restoredNanos),
        newest == null ? Optional.empty() : newest.stats());
  }

  /** Lets go of everything as if the process had died. */
  void abandon() {
    region = null;
    closeCairn();
  }

  /**
   * The program has done what it had to: a checkpoint that failed at the end is told, not thrown.
   */
  private void closeCairn() {
    try {
      cairn.close();
    } catch (CheckpointFailedException e) {
      LOG.warn("the last checkpoint failed: {}", e.getMessage());
    }
  }

  /**
   * Lets go of everything.
   *
   * @param allClose whether all ranks do so; asked if a checkpoint waits for loops, which none will
   *     bring any more
   */
  void close(BooleanSupplier allClose) {
    Replay open = replay;
    try {
      if (open != null && open.saved().isHere()) {
        throw new ProgramChangedException(
            "the program ends without having called here(), where it was saved; it was changed since, or has other arguments");
      }
      if (open != null) {
        throw new ProgramChangedException(
            "the program ends after %,d loops, and what was saved had come to %,d; it was changed since, or has other arguments"
                .formatted(chain.calls(), open.saved().calls()));
      }
      Region waiting = region;
      if (waiting != null && allClose.getAsBoolean()) {
        end(waiting);
      }
    } finally {
      closeCairn();
    }
  }
}
