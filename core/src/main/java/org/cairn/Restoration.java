// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.cairn.event.FlightEvents;
import org.cairn.job.Job;
import org.cairn.restart.RestartTarget;
import org.cairn.track.Trackers;
import org.cairn.work.Workers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a program is restarted: the datasets are filled, and what is left of the version is noted.
 */
final class Restoration {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

  private final Options options;
  private final Job job;
  private final ProtectedDatasets datasets;
  private final Trackers trackers;
  private final Due due;
  private final JobEvents events;
  private final Taking taking;

  Restoration(
      Options options,
      Job job,
      ProtectedDatasets datasets,
      Trackers trackers,
      Due due,
      JobEvents events,
      Taking taking) {
    this.taking = taking;
    this.options = options;
    this.job = job;
    this.datasets = datasets;
    this.trackers = trackers;
    this.due = due;
    this.events = events;
  }

  /** Restores what is asked for, also to what is protected in the middle of it. */
  RestartReport restart(RestartRequest request) {
    datasets.list().forEach(Dataset::takeOrigin); // of what came before nobody has to know
    ProtectedDatasets.Restoring restoring = datasets.restoring();
    RestartReport report = restore(request, restoring);
    trackers.restored(restoring.known().values());
    if (job.isOnlyRank()) {
      datasets.refuseNone(report, job.location());
    }
    datasets.claimSince(restoring.known());
    return isOfOtherRanks(report) && request.only().isEmpty()
        ? report.beside(secure(report))
        : report;
  }

  /** Fills the datasets that are asked for; nothing is begun or told. */
  RestartReport peek(RestartRequest request) {
    try (ProtectedDatasets.Restoring restoring = datasets.restoring();
        Workers readers = new Workers(options.readers(), "cairn-reader")) {
      return job.peek(request, new RestartTarget(restoring.known(), readers));
    } catch (IOException e) {
      throw new CheckpointFailedException(
          "%s cannot be read from %s: %s"
              .formatted(request.only().orElse(Set.of()), job.location(), e.getMessage()),
          e);
    }
  }

  private boolean isOfOtherRanks(RestartReport report) {
    return report.version().filter(version -> version.ranks() != job.size()).isPresent();
  }

  /**
   * What another number of ranks saved is a version of this number, wherever it bears the loss of a
   * node, before the program goes on: until then a second failure would find less than the first
   * one did. What the version lacks is not in that one either: the program may have to make it
   * first.
   *
   * @return what did not get where it should
   */
  private List<String> secure(RestartReport report) {
    Checkpoint first = taking.takeWithout(Set.copyOf(report.absent()));
    List<String> problems = new ArrayList<>();
    boolean others = first.tiers().stream().anyMatch(kind -> !kind.equals(TierKind.SHARED));
    for (TierKind kind : first.tiers()) {
      // To the shared directory it follows in the background, unless there is nothing else.
      if (!kind.equals(TierKind.SHARED) || !others) {
        try {
          first.await(kind);
        } catch (CheckpointFailedException e) {
          problems.add(
              "version %s did not get to the %s tier: %s"
                  .formatted(first.version(), kind.label(), e.getMessage()));
        }
      }
    }
    problems.forEach(problem -> LOG.warn("{}", problem));
    return problems;
  }

  private RestartReport restore(RestartRequest request, ProtectedDatasets.Restoring restoring) {
    Optional<FlightEvents.Restart> flight = FlightEvents.restart();
    // Several threads a core: while most wait for the disk, others verify.
    try (restoring;
        Workers readers = new Workers(options.readers(), "cairn-reader")) {
      boolean onlyReads = job.lineage().isPresent() && !request.only().isEmpty();
      RestartReport report = job.restart(request, new RestartTarget(restoring.known(), readers));
      if (!onlyReads) {
        restoring.restored(report, request, job.size());
      }
      events.identify(job);
      events.restarted(report, request, flight);
      due.startComputing();
      return report;
    } catch (IOException e) {
      throw new CheckpointFailedException(
          "restart from " + job.location() + " failed: " + e.getMessage(), e);
    }
  }
}
