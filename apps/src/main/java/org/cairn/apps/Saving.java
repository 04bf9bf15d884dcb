// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps;

import java.nio.file.Path;
import java.time.Duration;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.MeshOptions;

/**
 * How a program of the mesh language computes and is saved.
 *
 * @param checkpoints directory of the checkpoints
 * @param every steps from checkpoint to checkpoint; 0 to go by {@code interval}
 * @param interval time from checkpoint to checkpoint
 * @param asynchronous whether checkpoints become durable in the background
 * @param threads of each rank; 0 for all cores
 * @param place the loop before which checkpoints are taken; empty for the best
 * @param anew whether to go on with nothing
 * @param checks whether every access of every loop is looked at
 */
public record Saving(
    Path checkpoints,
    long every,
    Duration interval,
    boolean asynchronous,
    int threads,
    String place,
    boolean anew,
    boolean checks) {

  /** The options of all such programs, for their help. */
  public static final String USAGE =
      """
        --checkpoints DIR    where to keep checkpoints (checkpoints)
        --every K            checkpoint after every K steps
        --interval SECONDS   checkpoint after every SECONDS seconds (10), unless --every is given
        --async              go on computing while a checkpoint is being written
        --threads T          compute with T threads (as many as there are cores for a rank)
        --place LOOP         take checkpoints before the loop of this name (the best place)
        --begin-anew         go on with nothing: leave behind what was saved
        --check              look at every access of every loop, and stop where one does not do what
                             it says: slow, for small sizes
      """;

  /** Once in a hundred years: steps decide, not the clock. */
  private static final Duration NEVER = Duration.ofDays(36_500);

  /** Refuses what makes no sense. */
  public Saving {
    if (every < 0) {
      throw new IllegalArgumentException("--every cannot be " + every);
    }
    if (!interval.isPositive()) {
      throw new IllegalArgumentException("--interval cannot be " + interval.toMillis() / 1e3);
    }
    if (threads < 0) {
      throw new IllegalArgumentException("--threads cannot be " + threads);
    }
  }

  /** As long as nothing is said. */
  public static Saving defaults() {
    return new Saving(
        Path.of("checkpoints"), 0, Duration.ofSeconds(10), false, 0, "", false, false);
  }

  /** With an option more, whose value is next; not known to all programs are refused. */
  public Saving with(String option, Words words) {
    return switch (option) {
      case "--checkpoints" -> checkpoints(Path.of(words.value()));
      case "--every" -> every(words.number(Long.MAX_VALUE));
      case "--interval" ->
          new Saving(
              checkpoints, every, words.seconds(), asynchronous, threads, place, anew, checks);
      case "--async" ->
          new Saving(checkpoints, every, interval, true, threads, place, anew, checks);
      case "--threads" ->
          new Saving(
              checkpoints,
              every,
              interval,
              asynchronous,
              (int) words.number(4096),
              place,
              anew,
              checks);
      case "--place" ->
          new Saving(
              checkpoints, every, interval, asynchronous, threads, words.value(), anew, checks);
      case "--begin-anew" ->
          new Saving(checkpoints, every, interval, asynchronous, threads, place, true, checks);
      case "--check" ->
          new Saving(checkpoints, every, interval, asynchronous, threads, place, anew, true);
      default -> throw words.unknown();
    };
  }

  private Saving checkpoints(Path chosen) {
    return new Saving(chosen, every, interval, asynchronous, threads, place, anew, checks);
  }

  private Saving every(long steps) {
    return new Saving(checkpoints, steps, interval, asynchronous, threads, place, anew, checks);
  }

  /** For the mesh, and before it: from its first loop on nobody can begin to look at accesses. */
  public MeshOptions options() {
    if (checks) {
      System.setProperty(Mesh.CHECK, "true");
    }
    Options saved =
        Options.defaults().every(every == 0 ? interval : NEVER).asynchronous(asynchronous);
    MeshOptions options = MeshOptions.of(saved).threads(threads);
    options = place.isEmpty() ? options : options.place(place);
    return anew ? options.restart(RestartRequest.beginAnew()) : options;
  }

  /** A step is done: time for a checkpoint, if steps decide. */
  public void stepped(Mesh mesh, long steps) {
    if (every > 0 && steps % every == 0) {
      mesh.checkpoint();
    }
  }
}
