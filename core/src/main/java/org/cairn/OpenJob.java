// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.checkpoint.Pipeline;
import org.cairn.container.Container;
import org.cairn.job.Job;
import org.cairn.supply.Closing;
import org.cairn.track.Trackers;
import org.cairn.version.VersionInfo;
import org.cairn.watch.Watch;
import org.cairn.work.Workers;

/**
 * All that a {@link Checkpointer} works with, from {@link Opening} until it is closed: the parts
 * that calls of the program come to, and the order in which everything is let go of.
 */
final class OpenJob {
  private final Options options;
  private final Job job;
  private final JobEvents events;
  private final Watch watch;

  /** What saves the state when the process ends, if it is in memory only. */
  private final Optional<Evacuation> evacuation;

  private final Workers crew;
  private final Trackers trackers;
  private final Pipeline pipeline;
  private final ProtectedDatasets datasets;
  private final InFlight inFlight;
  private final Taking taking;
  private final Restoration restoration;
  private final Turn turn = new Turn();
  private final Thread opener = Thread.currentThread();

  OpenJob(
      Options options, Job job, JobEvents events, Watch watch, Optional<Evacuation> evacuation) {
    this.options = options;
    this.job = job;
    this.events = events;
    this.watch = watch;
    this.evacuation = evacuation;
    this.crew = new Workers(options.threads(), "cairn-crew");
    this.trackers = new Trackers(options.tracking(), options.verifyEvery());
    this.pipeline = new Pipeline(trackers, crew, options.staging(), options.clock());
    pipeline.offloads(options.offload());
    Due due = new Due(job, options.interval(), options.clock());
    this.datasets = new ProtectedDatasets(new LateRestore(job, crew), trackers);
    this.inFlight = new InFlight(turn);
    this.taking = new Taking(options, job, pipeline, datasets, inFlight, due, events, turn);
    this.restoration = new Restoration(options, job, datasets, trackers, due, events, taking);
    events.opened(job, options.tiers());
    watch.tell(this::stuck);
  }

  /** What is in memory only would be lost with the process. */
  private void stuck(String message, boolean ends) {
    events.stuck(message, ends);
    if (ends) {
      evacuation.ifPresent(Evacuation::saveAtExit);
    }
  }

  Options options() {
    return options;
  }

  Turn turn() {
    return turn;
  }

  ProtectedDatasets datasets() {
    return datasets;
  }

  Taking taking() {
    return taking;
  }

  Restoration restoration() {
    return restoration;
  }

  // ---------------------------------------------------------------- asking

  /** The retained versions, newest first. */
  List<VersionInfo> versions() {
    turn.ensureOpen();
    inFlight.await();
    return job.local().map(local -> local.get().versions()).orElseGet(job::ownAtStart);
  }

  /** How the container uses its file, and memory for maps. */
  Container.Usage usage() {
    turn.ensureOpen();
    inFlight.await();
    return job.local()
        .map(local -> local.get().usage())
        .orElseGet(() -> new Container.Usage(0, 0, 0, 0));
  }

  /** Brings the newest version to a tier; collective. */
  void flush(TierKind tier) {
    try (Turn.Held _ = turn.take("flush()")) {
      taking.settleTogether();
      job.flush(tier);
    } catch (IOException e) {
      throw new CheckpointFailedException(
          "the newest version did not reach the %s tier: %s"
              .formatted(tier.label(), e.getMessage()),
          e);
    }
  }

  // ---------------------------------------------------------------- closing

  /** Ends what is under way and lets go of everything; again, it does nothing. */
  void close() {
    try (Turn.Held _ = turn.takeToClose()) {
      if (!turn.isClosed()) {
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
    turn.end();
    steps.then(pipeline::close).then(trackers::close).then(crew::close).then(job::close);
    if (steps.isClean()) {
      steps.then(this::sayThatAllIsWell);
    }
    try {
      steps.then(watch::close).then(events::close).end();
    } catch (IOException e) {
      throw new CheckpointFailedException("closing " + job.location() + " failed", e);
    }
    inFlight.tellAfterClosing();
  }

  private void finish() {
    CheckpointBuilder building = inFlight.building();
    if (building != null) {
      // The program failed half way through a checkpoint, perhaps on this rank alone, and others
      // may be waiting for what it was to send them.
      building.abandonInTurn();
      job.abandon();
    } else {
      inFlight.await();
      job.flushAll(options.flushOnClose());
    }
  }

  private void sayThatAllIsWell() throws IOException {
    if (evacuation.isPresent()) {
      evacuation.get().finish();
    }
    events.closed();
  }
}
