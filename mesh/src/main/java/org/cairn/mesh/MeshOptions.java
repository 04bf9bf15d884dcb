// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.Optional;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.comm.Communicator;

/**
 * How a mesh computes and saves itself.
 *
 * @param checkpoints how often, where to, asynchronous or in memory, as for any program
 * @param restart what to go on from
 * @param threads of each rank; 0 for as many as there are cores for each rank of the machine
 * @param place the name of the loop before which checkpoints are taken; empty to find the best
 * @param hooks for tests
 */
public record MeshOptions(
    Options checkpoints, RestartRequest restart, int threads, Optional<String> place, Hooks hooks) {

  /**
   * What tests change.
   *
   * @param poisons whether points that were not saved become NaN, or as wrong, at a restart
   * @param predicts the fraction of the points that are predicted to be needed that is taken for
   *     true; less than 1 makes wrong predictions
   * @param ringStep how many calls there are at first between looks for a place
   */
  record Hooks(boolean poisons, double predicts, int ringStep) {
    /**
     * Which part of a program's time looks for a place are planned to take; tests are to find the
     * same ones. A hundredth is what they may take, and some take longer than was thought.
     */
    double affords() {
      return poisons ? 1 : .008;
    }

    /** Loops of fewer points than this wake no threads; those of tests are small. */
    long worthWaking() {
      return poisons ? 2 : 8_192;
    }
  }

  /** The defaults: the best place, all cores, and what {@link Options#defaults} says. */
  public static MeshOptions defaults() {
    return new MeshOptions(
        Options.defaults(), RestartRequest.newest(), 0, Optional.empty(), new Hooks(false, 1, 4));
  }

  /** As these options say. */
  public static MeshOptions of(Options checkpoints) {
    return defaults().checkpoints(checkpoints);
  }

  /** The same with other options for checkpoints. */
  public MeshOptions checkpoints(Options chosen) {
    return new MeshOptions(chosen, restart, threads, place, hooks);
  }

  /** The same, going on from something else than the newest good version. */
  public MeshOptions restart(RestartRequest chosen) {
    return new MeshOptions(checkpoints, chosen, threads, place, hooks);
  }

  /** The same with so many threads for each rank. */
  public MeshOptions threads(int count) {
    if (count < 0) {
      throw new IllegalArgumentException("a rank cannot have " + count + " threads");
    }
    return new MeshOptions(checkpoints, restart, count, place, hooks);
  }

  /** The same with checkpoints before the loop of this name, wherever it would be best. */
  public MeshOptions place(String loop) {
    return new MeshOptions(checkpoints, restart, threads, Optional.of(loop), hooks);
  }

  MeshOptions hooks(Hooks chosen) {
    return new MeshOptions(checkpoints, restart, threads, place, chosen);
  }

  int threadsFor(Communicator ranks) {
    int cores = Runtime.getRuntime().availableProcessors();
    return threads > 0 ? threads : Math.max(1, cores / ranks.ranksOnHost());
  }
}
