// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.cairn.checkpoint.CheckpointRun;
import org.cairn.checkpoint.Gate;
import org.cairn.checkpoint.Pipeline;
import org.cairn.container.Commit;
import org.cairn.division.Description;
import org.cairn.division.Selection;
import org.cairn.event.FlightEvents;
import org.cairn.job.Job;
import org.cairn.job.Outcome;
import org.cairn.job.Ticket;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionId;
import org.cairn.work.Reserve;
import org.jspecify.annotations.Nullable;

/**
 * How a checkpoint is taken: agreed on, begun, ended or given up, on all ranks alike.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>A rank that cannot do its part tells the others before it throws: they wait for nobody.
 *   <li>What is begun is ended or given up before anything else is begun.
 * </ol>
 */
final class Taking {
  private final Options options;
  private final Job job;
  private final Pipeline pipeline;
  private final ProtectedDatasets datasets;
  private final InFlight inFlight;
  private final Due due;
  private final JobEvents events;
  private final Turn turn;

  /** Whether the others will hear how what was begun last ends on this rank. */
  private boolean announced;

  /** What ranks agreed on of what they have together, when the last checkpoint was begun. */
  private Description agreed = Description.nothing();

  Taking(
      Options options,
      Job job,
      Pipeline pipeline,
      ProtectedDatasets datasets,
      InFlight inFlight,
      Due due,
      JobEvents events,
      Turn turn) {
    this.options = options;
    this.job = job;
    this.pipeline = pipeline;
    this.datasets = datasets;
    this.inFlight = inFlight;
    this.due = due;
    this.events = events;
    this.turn = turn;
  }

  /** Takes a checkpoint if one is due; empty if none was taken. */
  Optional<Checkpoint> takeIfDue() {
    if (job.isOnlyRank()) {
      inFlight.tell();
    }
    if (!isDue()) {
      return Optional.empty();
    }
    Checkpoint taken = take(options.asynchronous(), Label.none());
    return taken.isSkipped() ? Optional.empty() : Optional.of(taken);
  }

  /** Begins a checkpoint if one is due; empty if none was begun. */
  Optional<CheckpointBuilder> beginIfDue() {
    inFlight.refuseWhileBuilding();
    if (job.isOnlyRank()) {
      inFlight.tell();
    }
    return !isDue() || mustSkip() ? Optional.empty() : Optional.of(beginSteps(Label.none()));
  }

  private boolean isDue() {
    try {
      return due.isDue(datasets::byteSize);
    } catch (OutOfMemoryError e) {
      job.leave(e);
      throw e;
    }
  }

  /** Takes a checkpoint, unless it is to be skipped; one with a label never is. */
  Checkpoint take(boolean asynchronous, Label label) {
    announced = false;
    try {
      if (!label.isNone()) {
        inFlight.await();
      }
      return mustSkip()
          ? Checkpoint.skipped()
          : complete(begin(asynchronous, label, false), CheckpointBuilder::commitInTurn);
    } catch (OutOfMemoryError e) {
      leaveUnlessAnnounced(e);
      throw failedForWantOfMemory(e);
    }
  }

  /** Takes a checkpoint of all datasets but some, which may be others on other ranks. */
  Checkpoint takeWithout(Set<String> leftOut) {
    announced = false;
    try {
      return complete(
          begin(false, Label.none(), true), builder -> builder.commitWithoutInTurn(leftOut));
    } catch (OutOfMemoryError e) {
      leaveUnlessAnnounced(e);
      throw failedForWantOfMemory(e);
    }
  }

  /** As any other failure: ranks that had enough are told of it in the same way. */
  private static CheckpointFailedException failedForWantOfMemory(OutOfMemoryError e) {
    return new CheckpointFailedException(
        "checkpoint failed for want of memory or threads: %s; give the JVM more, or let fewer ranks share the machine"
            .formatted(e),
        e);
  }

  /** Who fails before it could say so is waited for by the others: they are told. */
  private void leaveUnlessAnnounced(OutOfMemoryError e) {
    if (!announced) {
      job.leave(e);
    }
  }

  private boolean mustSkip() {
    // Whether it is done may be seen at different times; all ranks must do the same.
    return options.whenBusy() == WhenBusy.SKIP && job.isAnywhere(inFlight.isBusy());
  }

  private static Checkpoint complete(
      CheckpointBuilder builder, Function<CheckpointBuilder, Checkpoint> commit) {
    try {
      return commit.apply(builder);
    } catch (RuntimeException | Error e) {
      builder.abortInTurn();
      throw e;
    }
  }

  // ---------------------------------------------------------------- the one before

  /** Waits for the checkpoint before, and tells of its failure if there is nobody to agree with. */
  private void settle() {
    inFlight.awaitBeforeNext();
    if (job.isOnlyRank()) {
      inFlight.tell();
    }
  }

  /** As {@link #settle}, and ranks agree whether to tell; collective. */
  void settleTogether() {
    try {
      settle();
      if (!job.isAnywhere(inFlight.isUntold())) {
        return;
      }
    } catch (OutOfMemoryError e) {
      job.leave(e);
      throw e;
    }
    throw inFlight.failedBefore();
  }

  // ---------------------------------------------------------------- beginning

  /** Begins a checkpoint that the program completes step by step. */
  CheckpointBuilder beginSteps(Label label) {
    return begin(options.asynchronous(), label, true);
  }

  /**
   * Begins a checkpoint.
   *
   * @param open whether it is open what will be in it: ranks look at that in the end
   */
  private CheckpointBuilder begin(boolean asynchronous, Label label, boolean open) {
    announced = false;
    try {
      settle();
      CheckpointBuilder builder = begin(announce(label, open), asynchronous);
      inFlight.begun(builder);
      return builder;
    } catch (OutOfMemoryError e) {
      leaveUnlessAnnounced(e);
      throw e;
    } catch (IOException e) {
      throw new CheckpointFailedException("checkpoint cannot start: " + e.getMessage(), e);
    }
  }

  private Fate announce(Label label, boolean open) throws IOException {
    datasets.refuseToDropUnclaimed(job);
    Optional<FlightEvents.Checkpoint> flight = FlightEvents.checkpoint();
    decideJob();
    Next next = agreeOnNext(label);
    events.begun(next.version());
    return announce(next, flight, open);
  }

  /** A program that never restarts begins a job with its first checkpoint, if it finds none. */
  private void decideJob() throws IOException {
    if (job.lineage().isEmpty()) {
      job.ensureDecided();
      events.identify(job);
    }
  }

  /**
   * The checkpoint that all ranks are going to take.
   *
   * @param bytes how many are protected on this one
   */
  private record Next(Ticket ticket, long bytes) {
    VersionId version() {
      return ticket.version();
    }
  }

  /** A rank that cannot begin tells the others before it throws. */
  private Next agreeOnNext(Label label) throws IOException {
    long bytes = 0;
    Description description = Description.nothing();
    Throwable mine = null;
    try {
      // Asks the program, which may have no answer.
      bytes = datasets.byteSize();
      description = datasets.description();
      job.decided().usable();
      job.prepare();
    } catch (IOException | RuntimeException | Error e) {
      mine = e;
    }
    Optional<Ticket> ticket = job.next(mine, inFlight.isUntold(), label, description);
    agreed = description;
    return new Next(ticket.orElseThrow(inFlight::failedBefore), bytes);
  }

  /**
   * What becomes of a checkpoint.
   *
   * @param next which one it is
   * @param mine how it ends on this rank
   * @param handle how it ends on all
   * @param gate where it waits before it becomes durable
   */
  private record Fate(
      Next next, CompletableFuture<CheckpointStats> mine, Checkpoint handle, Gate gate) {}

  private Fate announce(Next next, Optional<FlightEvents.Checkpoint> flight, boolean open) {
    CompletableFuture<CheckpointStats> mine = new CompletableFuture<>();
    CompletableFuture<CheckpointStats> result = new CompletableFuture<>();
    Ending ending = new Ending(next.version(), flight, result);
    // Ranks have agreed on which datasets are to be the same: all of them have such, or none.
    boolean alike = agreed.hasCopies() && !job.isOnlyRank();
    Reserve reserve = pipeline.reserve();
    Gate gate = alike || open ? Gate.closed(reserve) : Gate.open(reserve);
    Outcome<CheckpointStats> outcome = job.agree(next.ticket, mine, gate);
    announced = true;
    try {
      // Whoever waits for the end waits for the result; nobody asks for what follows from it.
      var _ = outcome.local().whenComplete((stats, failure) -> ended(ending, stats, failure));
      Checkpoint handle = new Checkpoint(next.version(), result, outcome.tiers(), job.activity());
      return new Fate(next, mine, handle, gate);
    } catch (Error e) {
      try {
        reserve.fail(mine, e); // it is waited for, and will never be
      } finally {
        job.conclude(); // the other ranks wait for this one's word
      }
      throw e;
    }
  }

  private CheckpointBuilder begin(Fate fate, boolean asynchronous) throws IOException {
    try {
      Next next = fate.next;
      Commit commit = job.decided().usable().begin(next.version(), options.clock().now());
      CheckpointRun run = start(commit, next, asynchronous, fate.gate);
      return building(run, fate, asynchronous);
    } catch (IOException | RuntimeException | Error e) {
      try {
        pipeline.reserve().fail(fate.mine, e);
      } finally {
        endEarly(fate.handle, asynchronous);
      }
      throw e;
    }
  }

  private CheckpointBuilder building(CheckpointRun run, Fate fate, boolean asynchronous) {
    try {
      // Who listens to the end of the run is told by its fate; nobody asks for the listener's own.
      var _ = run.result().whenComplete((stats, failure) -> pass(stats, failure, fate.mine));
      return new CheckpointBuilder(
          this,
          run,
          fate.handle,
          asynchronous,
          fate.gate,
          why -> pipeline.reserve().fail(fate.mine, why));
    } catch (Error e) {
      pipeline.reserve().fail(fate.mine, e); // not that it was aborted
      run.abort();
      throw e;
    }
  }

  /** What cannot be begun must not stay open: nothing else could be begun after it. */
  private CheckpointRun start(Commit commit, Next next, boolean asynchronous, Gate gate) {
    try {
      commit.tiers(next.ticket.tiers());
      commit.label(next.ticket.label());
      return pipeline.start(commit, options.strategy(), asynchronous, next.bytes, gate);
    } catch (RuntimeException | Error e) {
      commit.abort();
      throw e;
    }
  }

  private void pass(
      @Nullable CheckpointStats stats,
      @Nullable Throwable failure,
      CompletableFuture<CheckpointStats> to) {
    if (stats != null) {
      pipeline.reserve().complete(to, stats);
    } else if (failure != null) {
      pipeline.reserve().fail(to, failure);
    }
  }

  // ---------------------------------------------------------------- ending

  /** Whose call is going on. */
  Turn turn() {
    return turn;
  }

  Dataset dataset(String name) {
    return datasets.get(name);
  }

  /** What is saved must be what ranks agreed on, or nobody could put it together. */
  void requireAgreedDivision(Dataset dataset) {
    if (!agreed.of(dataset.name()).equals(dataset.division())) {
      throw new IllegalStateException(
          "dataset \"%s\" was %s when the checkpoint began and is %s now; say so before checkpoint()"
              .formatted(dataset.name(), agreed.of(dataset.name()), dataset.division()));
    }
  }

  /**
   * Tells others what this rank has put into a checkpoint of what they have together.
   *
   * @param added all that is in it
   */
  void tellSelection(Map<String, DatasetSpec> added, Gate gate) {
    Description said = Descriptions.of(added.values());
    Description protectedNow = Descriptions.ofDivisions(datasets.list());
    Selection selection = new Selection(said, agreed.and(protectedNow).without(added.keySet()));
    gate.say(selection, selection.isAllOf(agreed));
  }

  /** The datasets that are not in the checkpoint yet. */
  List<Dataset> without(Set<String> added) {
    return datasets.list().stream().filter(dataset -> !added.contains(dataset.name())).toList();
  }

  /** This rank's part is done; what is asynchronous becomes durable in the background. */
  Checkpoint finish(Checkpoint handle, boolean asynchronous) {
    inFlight.left(handle);
    job.conclude();
    due.startComputing();
    return asynchronous ? handle : await(handle);
  }

  private Checkpoint await(Checkpoint handle) {
    try {
      return handle.await();
    } finally {
      due.startComputing();
    }
  }

  /** The program wants no checkpoint after all, or could not do its part. */
  void abort(Checkpoint handle, boolean asynchronous) {
    inFlight.givenUp();
    endEarly(handle, asynchronous);
    events.aborted(handle.version());
  }

  /** As {@link #abort}, of a program that closes: it waits for nobody. */
  void abandon(Checkpoint handle) {
    inFlight.givenUp();
    events.aborted(handle.version());
  }

  /**
   * This rank's part in a checkpoint ended early, and its program knows. The others learn of it now
   * or, asynchronously, by a handle or their next call.
   */
  private void endEarly(Checkpoint handle, boolean asynchronous) {
    job.conclude();
    inFlight.left(handle);
    handle.tell();
    if (!asynchronous) {
      inFlight.await();
    }
  }

  /** What is told when a checkpoint ends, and by what those who wait for it are told. */
  private record Ending(
      VersionId version,
      Optional<FlightEvents.Checkpoint> flight,
      CompletableFuture<CheckpointStats> result) {}

  /** It is known what has become of a checkpoint; called by whatever thread knows first. */
  private void ended(Ending ending, @Nullable CheckpointStats stats, @Nullable Throwable failure) {
    Throwable reason = failure;
    try {
      tell(ending, stats, failure);
    } catch (RuntimeException | Error e) {
      reason = failure == null ? e : failure;
    }
    if (reason != null) {
      pipeline.reserve().fail(ending.result, reason);
    } else if (stats != null) {
      pipeline.reserve().complete(ending.result, stats);
    }
  }

  private void tell(Ending ending, @Nullable CheckpointStats stats, @Nullable Throwable failure) {
    if (stats != null) {
      due.waited(stats.waited());
      events.durable(stats, job.decided().get().usage(), ending.flight);
      job.scrubSome();
    } else if (failure != null) {
      events.failed(ending.version, failure, ending.flight);
      job.nameOthersIfFull(failure);
    }
  }
}
