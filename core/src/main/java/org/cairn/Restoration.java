// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import org.cairn.event.FlightEvents;
import org.cairn.job.Job;
import org.cairn.restart.RestartTarget;
import org.cairn.work.Workers;

/**
 * How a program is restarted: the datasets are filled, and what is left of the version is noted.
 */
final class Restoration {
  private final Options options;
  private final Job job;
  private final ProtectedDatasets datasets;
  private final Due due;
  private final JobEvents events;

  Restoration(Options options, Job job, ProtectedDatasets datasets, Due due, JobEvents events) {
    this.options = options;
    this.job = job;
    this.datasets = datasets;
    this.due = due;
    this.events = events;
  }

  /** Restores what is asked for, also to what is protected in the middle of it. */
  RestartReport restart(RestartRequest request) {
    ProtectedDatasets.Restoring restoring = datasets.restoring();
    RestartReport report = restore(request, restoring);
    if (job.isOnlyRank()) {
      datasets.refuseNone(report, job.location());
    }
    datasets.claimSince(restoring.known());
    return report;
  }

  private RestartReport restore(RestartRequest request, ProtectedDatasets.Restoring restoring) {
    FlightEvents.Restart flight = new FlightEvents.Restart();
    flight.begin();
    // Several threads a core: while most wait for the disk, others verify.
    try (restoring;
        Workers readers = new Workers(options.readers(), "cairn-reader")) {
      boolean onlyReads = job.lineage().isPresent() && !request.only().isEmpty();
      RestartReport report = job.restart(request, new RestartTarget(restoring.known(), readers));
      if (!onlyReads) {
        restoring.restored(report, request);
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
