// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.job.Job;
import org.cairn.restart.RestartTarget;
import org.cairn.version.VersionId;
import org.cairn.work.Workers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores datasets that were protected only after the restart, from the container of this rank
 * alone: no other rank has to do anything.
 */
final class LateRestore {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

  private final Job job;
  private final Workers crew;

  LateRestore(Job job, Workers crew) {
    this.job = job;
    this.crew = crew;
  }

  /**
   * Gives datasets what the restored version has.
   *
   * @param changes how its names and types become those of the program
   */
  void restore(VersionId version, List<Dataset> late, Changes changes) {
    Map<String, Dataset> byName = new LinkedHashMap<>();
    late.forEach(dataset -> byName.put(dataset.name(), dataset));
    try {
      new RestartTarget(byName, crew).fillLate(job.restored(version), changes);
    } catch (IOException e) {
      throw new CheckpointFailedException(
          "%s cannot be restored from version %s: %s"
              .formatted(byName.keySet(), version, e.getMessage()),
          e);
    }
    LOG.debug("restored from version {}: {}", version, byName.keySet());
  }
}
