// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.cairn.clock.Clock;
import org.cairn.container.Container;
import org.cairn.event.Event;
import org.cairn.event.EventLog;
import org.cairn.event.FlightEvents;
import org.cairn.event.LastWords;
import org.cairn.job.Job;
import org.cairn.supply.Closing;
import org.cairn.version.VersionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the event log, flight recordings and people what becomes of a job: that it was opened and
 * closed, its checkpoints and restarts, and that it is stuck.
 *
 * <p>A log that ends neither with {@code close} nor with last words tells of a program that was
 * killed: so {@code close} is said only when all went well, and last words are promised as long as
 * the log is open.
 */
final class JobEvents implements AutoCloseable {
  /** People look for the name that they know. */
  private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

  private static final int MOST_DATASETS = 16;

  private final EventLog log;
  private final Clock clock;
  private final LastWords lastWords;

  /** Who kills the program in the middle of a checkpoint has to know that one has begun. */
  private final boolean tellsOfBeginnings = ProvingGround.ofSurroundings().isWatched();

  JobEvents(EventLog log, Clock clock) {
    this.log = log;
    this.clock = clock;
    this.lastWords = LastWords.promise(log, clock::now);
  }

  private Event event(String kind) {
    return new Event(kind, clock.now());
  }

  /** What was found when the job was opened. */
  void opened(Job job, Tiers tiers) {
    List<String> problems = job.problemsAtStart();
    for (String problem : problems) {
      LOG.warn("{}", problem);
    }
    log.append(
        event("open")
            .with("container", job.store().location(Checkpointer.containerName(job.rank())))
            .with("versions", job.foundAtStart().stream().map(VersionId::toString).toList())
            .with("problems", problems)
            .with("rank", job.rank())
            .with("ranks", job.size())
            .with("tiers", tiers.toString()));
  }

  /** Which job and run it is, if that is decided; all events say so from now on. */
  void identify(Job job) {
    job.lineage()
        .ifPresent(
            lineage -> log.identify(lineage.job().toString(), lineage.run().id().toString()));
  }

  /** The job waits for something that does not come. */
  void stuck(String message, boolean ends) {
    log.append(event("stuck").with("message", message).with("ends", ends));
  }

  /** All is well, and at an end. */
  void closed() {
    log.append(event("close"));
  }

  @Override
  public void close() throws IOException {
    new Closing().then(lastWords::withdraw).then(log::close).end();
  }

  // ---------------------------------------------------------------- checkpoints

  /** A checkpoint has begun; only {@code cairn prove} wants to know. */
  void begun(VersionId version) {
    if (tellsOfBeginnings) {
      log.append(event("checkpointBegan").with("version", version.toString()));
    }
  }

  /** A checkpoint is durable. */
  void durable(
      CheckpointStats stats, Container.Usage usage, Optional<FlightEvents.Checkpoint> flight) {
    flight.ifPresent(event -> record(stats, event));
    log.append(
        event("checkpoint")
            .with("version", stats.version().toString())
            .with("full", stats.full())
            .with("decision", stats.decision())
            .with("protectedBytes", stats.protectedBytes())
            .with("blocks", stats.blocks())
            .with("dirtyBlocks", stats.dirtyBlocks())
            .with("movedBlocks", stats.movedBlocks())
            .with("bytesWritten", stats.bytesWritten())
            .with("waitedSeconds", seconds(stats.waited()))
            .with("durableSeconds", seconds(stats.untilDurable()))
            .with("hashSeconds", seconds(stats.hashing()))
            .with("copySeconds", seconds(stats.copying()))
            .with("writeSeconds", seconds(stats.writing()))
            .with("forceSeconds", seconds(stats.forcing()))
            .with("fileBytes", usage.fileBytes())
            .with("liveBytes", usage.liveBytes())
            .with("datasets", largest(stats.datasets())));
    LOG.info("checkpoint {}: {}", stats.version(), stats);
  }

  /** Those with most bytes: a log is not to grow with the number of datasets. */
  private static List<Map<String, Object>> largest(List<DatasetStats> datasets) {
    return datasets.stream()
        .sorted(Comparator.comparingLong(DatasetStats::bytes).reversed())
        .limit(MOST_DATASETS)
        .map(JobEvents::fields)
        .toList();
  }

  private static Map<String, Object> fields(DatasetStats dataset) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", dataset.name());
    fields.put("bytes", dataset.bytes());
    if (dataset.writtenBytes() >= 0) {
      fields.put("written", dataset.writtenBytes());
    }
    fields.put("hashed", dataset.hashedBytes());
    fields.put("changed", dataset.changedBytes());
    fields.put("tracking", dataset.tracking());
    return fields;
  }

  private static void record(CheckpointStats stats, FlightEvents.Checkpoint flight) {
    flight.version = stats.version().toString();
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
    flight.commit();
  }

  /** A checkpoint will never be durable: it failed, or the program wanted it so. */
  void failed(VersionId version, Throwable failure, Optional<FlightEvents.Checkpoint> flight) {
    if (failure instanceof CancellationException) {
      log.append(event("checkpointAborted").with("version", version.toString()));
    } else {
      log.append(
          event("checkpointFailed")
              .with("version", version.toString())
              .with("failure", failure.toString()));
      LOG.warn("checkpoint {} failed: {}", version, failure.toString());
    }
    flight.ifPresent(event -> record(version, failure, event));
  }

  private static void record(VersionId version, Throwable failure, FlightEvents.Checkpoint flight) {
    flight.version = version.toString();
    flight.failure = failure.toString();
    flight.commit();
  }

  /** The program has given up a checkpoint that it had begun. */
  void aborted(VersionId version) {
    LOG.info("checkpoint {} was aborted", version);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() * 1e-9;
  }

  // ---------------------------------------------------------------- restarts

  /** A version was restored, or there was nothing to restore. */
  void restarted(
      RestartReport report, RestartRequest request, Optional<FlightEvents.Restart> flight) {
    tellPeople(report, request);
    String version = report.version().map(Object::toString).orElse("");
    flight.ifPresent(event -> record(version, report, event));
    log.append(
        event("restart")
            .with("version", version)
            .with("bytes", report.bytes())
            .with("seconds", seconds(report.duration()))
            .with("problems", report.problems())
            .with("origins", report.origins()));
    if (version.isEmpty()) {
      LOG.info("restart: nothing was restored");
    } else {
      LOG.info("restart: version {}, {} bytes", version, report.bytes());
    }
  }

  private static void record(String version, RestartReport report, FlightEvents.Restart flight) {
    flight.version = version;
    flight.bytes = report.bytes();
    flight.problems = report.problems().size();
    flight.commit();
  }

  private static void tellPeople(RestartReport report, RestartRequest request) {
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
  }
}
