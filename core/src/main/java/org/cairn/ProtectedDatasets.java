// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.division.Description;
import org.cairn.job.Job;
import org.cairn.restart.Unclaimed;
import org.cairn.track.Trackers;

/**
 * The datasets that make up the state, by name, and what a restart has left for them.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>A name stands for one dataset.
 *   <li>What is protected after a restart has what the restored version has under its name, or is
 *       not protected at all: what was not restored is never saved in its place.
 *   <li>As long as nothing protects a dataset of the restored version, and nobody has given it up,
 *       checkpoints are refused.
 * </ol>
 */
final class ProtectedDatasets {
  private final Map<String, Dataset> all = new LinkedHashMap<>();
  private final LateRestore lateRestore;
  private final Trackers trackers;

  /** What the restored version has and nothing protects. */
  private Unclaimed unclaimed = Unclaimed.nothing();

  /** Whether ranks have still to agree that no rank has anything unclaimed; alike on all. */
  private boolean claimsOpen;

  /** Whether it is not known yet what the version has that is being restored. */
  private boolean restoring;

  ProtectedDatasets(LateRestore lateRestore, Trackers trackers) {
    this.lateRestore = lateRestore;
    this.trackers = trackers;
  }

  /** Protects all of these or none, and restores what there is of them. */
  void add(List<Dataset> added) {
    added.forEach(this::refuseTaken);
    added.forEach(trackers::check);
    for (Dataset dataset : added) {
      refuseTaken(dataset); // two fields of one name, perhaps
      all.put(dataset.name(), dataset);
    }
    if (!restoring) {
      claim(added);
    }
  }

  private void refuseTaken(Dataset dataset) {
    if (all.containsKey(dataset.name())) {
      throw new IllegalArgumentException(
          "dataset \"%s\" is protected already; use Dataset.replace, or unprotect it first"
              .formatted(dataset.name()));
    }
  }

  /** Takes a dataset out, or gives one up that the restored version has. */
  void remove(String name) {
    if (!unclaimed.settle(name)) {
      trackers.forget(get(name));
      all.remove(name);
    }
  }

  Dataset get(String name) {
    Dataset dataset = all.get(name);
    if (dataset == null) {
      throw new IllegalArgumentException(
          "dataset \"%s\" is not protected; protected are %s".formatted(name, all.keySet()));
    }
    return dataset;
  }

  /** All, in the order in which they were protected. */
  List<Dataset> list() {
    return List.copyOf(all.values());
  }

  /** How many bytes there are; asks functions of the program. */
  long byteSize() {
    return all.values().stream().mapToLong(Dataset::byteSize).sum();
  }

  /** What is said of those that other ranks have too; asks functions of the program. */
  Description description() {
    return Descriptions.of(
        all.values().stream()
            .filter(dataset -> !dataset.division().isAlone())
            .map(Dataset::spec)
            .toList());
  }

  // ---------------------------------------------------------------- restarts

  /** A restart that is going on, until it is closed; what is protected meanwhile has to wait. */
  final class Restoring implements AutoCloseable {
    private final Map<String, Dataset> known = new LinkedHashMap<>(all);

    private Restoring() {
      restoring = true;
    }

    /** What the restart fills. */
    Map<String, Dataset> known() {
      return known;
    }

    /** What the version has beyond that is to be claimed or given up. */
    void restored(RestartReport report, RestartRequest request, int ranks) {
      unclaimed = Unclaimed.after(report, request, known.keySet(), ranks);
      claimsOpen = true;
    }

    @Override
    public void close() {
      restoring = false;
    }
  }

  /** A restart begins. */
  Restoring restoring() {
    return new Restoring();
  }

  /** A restart has ended: what was protected in the middle of it gets its content now. */
  void claimSince(Map<String, Dataset> known) {
    claim(all.values().stream().filter(one -> !known.containsKey(one.name())).toList());
  }

  /** A restart of nothing has restored nothing, and the next checkpoint would drop all there is. */
  void refuseNone(RestartReport report, String location) {
    if (all.isEmpty() && !report.ignored().isEmpty()) {
      throw new IllegalStateException(
          "nothing is protected, so restart() restored nothing of %s in %s; call protect() first"
              .formatted(report.ignored(), location));
    }
  }

  /** What the restored version has under the names of datasets becomes their content. */
  private void claim(Collection<Dataset> added) {
    try {
      List<Dataset> late = unclaimed.among(added);
      if (!late.isEmpty()) {
        unclaimed
            .source()
            .ifPresent(version -> lateRestore.restore(version, late, unclaimed.changes()));
      }
      unclaimed.giveDefaults(added);
      trackers.restored(added);
      late.forEach(dataset -> unclaimed.settle(dataset.name()));
    } catch (RuntimeException | Error e) {
      added.forEach(dataset -> all.remove(dataset.name()));
      throw e;
    }
  }

  /**
   * The first checkpoint after a restart must not lose what nothing protects. Ranks may differ in
   * what they protect; what one of them must not do, none does; collective.
   */
  void refuseToDropUnclaimed(Job job) {
    if (claimsOpen) {
      job.refuseTogether(unclaimed.refusal(job.location()));
      claimsOpen = false;
    }
  }
}
