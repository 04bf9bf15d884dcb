// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * What a job went through on all of its ranks, and what follows from it for its next run.
 *
 * <p>Ranks do everything together, so one of them is enough to count interruptions and intervals:
 * the one whose log shows most, as logs can be lost with the disk of a node. What differs from rank
 * to rank is taken from all: the program waits for the slowest.
 *
 * @param histories one for each rank whose log was found, in order of ranks
 */
public record RunHistory(List<RankHistory> histories) {
  /** Checks that something happened. */
  public RunHistory {
    histories = List.copyOf(histories);
    if (histories.stream().allMatch(history -> history.lives().isEmpty())) {
      throw new IllegalArgumentException("a history needs an event at least");
    }
  }

  /**
   * Reads the logs of a job: {@code events.jsonl} in this directory and in those of its ranks, or
   * the one log that is given.
   *
   * @throws IllegalArgumentException if there are none, with a sentence that says how to get them;
   *     or if there are those of several jobs
   */
  public static RunHistory read(Path directory) {
    return EventLogs.read(directory, Optional.empty());
  }

  /** Reads the logs of a job that has a name; an empty one for jobs without. */
  public static RunHistory read(Path directory, String job) {
    return EventLogs.read(directory, Optional.of(job));
  }

  /** How many ranks the job had, of which some may have lost their logs. */
  public int ranks() {
    int opened = events(RunEvent.Opened.class).mapToInt(RunEvent.Opened::ranks).max().orElse(1);
    return Math.max(opened, histories.getLast().rank() + 1);
  }

  /** Lines that could not be read, over all ranks. */
  public int unreadable() {
    return histories.stream().mapToInt(RankHistory::unreadable).sum();
  }

  /** From the first event to the last on the clocks of the ranks, pauses included, in seconds. */
  public double span() {
    List<Instant> times = events(RunEvent.class).map(RunEvent::time).sorted().toList();
    return Life.between(times.getFirst(), times.getLast());
  }

  /** How often the run was interrupted while it was seen at work, with a range of 90 %. */
  public Interruptions interruptions() {
    return interruptions(0.9);
  }

  /** How often the run was interrupted, with a range of this confidence. */
  public Interruptions interruptions(double confidence) {
    RankHistory witness = witness();
    return new Interruptions(interruptionsSeenBy(witness), witness.seconds(), confidence);
  }

  /**
   * Where a rank is lost the launcher ends the others with a signal, as a batch system does with
   * all of them: such an end is an interruption if another rank was lost.
   */
  private int interruptionsSeenBy(RankHistory witness) {
    return witness.interruptions(
        (life, next) ->
            histories.stream()
                .anyMatch(other -> other != witness && other.wasLostAtEndOf(life, next)));
  }

  private RankHistory witness() {
    return histories.stream()
        .max(
            Comparator.comparingInt(this::interruptionsSeenBy)
                .thenComparingInt(rank -> rank.events(RunEvent.Checkpointed.class).size())
                .thenComparingInt(rank -> -rank.rank()))
        .orElseThrow();
  }

  /** How many versions became durable on some rank. */
  public int checkpoints() {
    return byVersion().size();
  }

  /** How many versions failed on some rank, those not counted that the program aborted. */
  public int failedCheckpoints() {
    return (int)
        events(RunEvent.CheckpointFailed.class)
            .filter(failed -> !failed.aborted())
            .map(RunEvent.CheckpointFailed::version)
            .distinct()
            .count();
  }

  /** How long the program waited for a checkpoint: on the slowest rank, in seconds. */
  public Optional<Spread> waited() {
    return slowest(RunEvent.Checkpointed::waitedSeconds);
  }

  /** From the call of a checkpoint until it was durable on the slowest rank, in seconds. */
  public Optional<Spread> durable() {
    return slowest(RunEvent.Checkpointed::durableSeconds);
  }

  /** The single waits behind {@link #waited}, for simulations to draw from. */
  public double[] waits() {
    return slowestOf(RunEvent.Checkpointed::waitedSeconds).toArray();
  }

  private Optional<Spread> slowest(ToDoubleFunction<RunEvent.Checkpointed> seconds) {
    return Spread.of(slowestOf(seconds));
  }

  private DoubleStream slowestOf(ToDoubleFunction<RunEvent.Checkpointed> seconds) {
    // A time that is not known must not hide that of another rank.
    return byVersion().stream()
        .map(ranks -> ranks.stream().mapToDouble(seconds).filter(Double::isFinite).max())
        .flatMapToDouble(OptionalDouble::stream);
  }

  /** The time from the beginning of a checkpoint to that of the next in the same life. */
  public Optional<Spread> interval() {
    return Spread.of(witness().intervals());
  }

  /** The time of computation between two checkpoints in the same life. */
  public Optional<Spread> computation() {
    return Spread.of(
        witness().lives().stream()
            .flatMap(life -> life.computations().stream())
            .mapToDouble(Double::doubleValue));
  }

  /** The part of all blocks that had changed, 0 to 1, for checkpoints that compared. */
  public Optional<Spread> dirtyFraction() {
    return Spread.of(dirtyParts());
  }

  /** The single parts behind {@link #dirtyFraction}, for simulations to draw from. */
  public double[] dirtyFractions() {
    return dirtyParts().filter(Double::isFinite).toArray();
  }

  private DoubleStream dirtyParts() {
    return byVersion().stream()
        .filter(version -> version.stream().noneMatch(RunEvent.Checkpointed::full))
        .mapToDouble(
            version ->
                (double) sum(version, RunEvent.Checkpointed::dirtyBlocks)
                    / sum(version, RunEvent.Checkpointed::blocks));
  }

  /** The part of the state that lies in pages written to, 0 to 1, where pages were tracked. */
  public Optional<Spread> writtenFraction() {
    return Spread.of(
        byVersion().stream()
            .filter(version -> version.stream().allMatch(one -> one.touchedBytes() >= 0))
            .mapToDouble(
                version ->
                    (double) sum(version, RunEvent.Checkpointed::touchedBytes)
                        / sum(version, RunEvent.Checkpointed::protectedBytes)));
  }

  private static long sum(
      List<RunEvent.Checkpointed> version, ToLongFunction<RunEvent.Checkpointed> value) {
    return version.stream().mapToLong(value).sum();
  }

  /** The size of the state of all ranks at a checkpoint, as far as there are logs, in bytes. */
  public Optional<Spread> protectedBytes() {
    return Spread.of(
        byVersion().stream()
            .mapToDouble(version -> sum(version, RunEvent.Checkpointed::protectedBytes)));
  }

  /** What all ranks wrote for a checkpoint, as far as there are logs, in bytes. */
  public Optional<Spread> bytesWritten() {
    return Spread.of(
        byVersion().stream()
            .mapToDouble(version -> sum(version, RunEvent.Checkpointed::bytesWritten)));
  }

  /** How fast a rank hashes its state with all its cores, in bytes per second. */
  public OptionalDouble hashRate() {
    return rate(RunEvent.Checkpointed::protectedBytes, RunEvent.Checkpointed::hashSeconds);
  }

  /** How fast a rank writes and makes durable what it wrote, in bytes per second. */
  public OptionalDouble writeRate() {
    return rate(
        RunEvent.Checkpointed::bytesWritten,
        // Write calls alone would measure how fast the page cache is.
        checkpoint -> checkpoint.writeSeconds() + checkpoint.forceSeconds());
  }

  private OptionalDouble rate(
      ToLongFunction<RunEvent.Checkpointed> bytes, ToDoubleFunction<RunEvent.Checkpointed> time) {
    List<RunEvent.Checkpointed> timed =
        events(RunEvent.Checkpointed.class)
            .filter(checkpoint -> time.applyAsDouble(checkpoint) > 0)
            .toList();
    double seconds = timed.stream().mapToDouble(time).sum();
    return seconds > 0
        ? OptionalDouble.of(timed.stream().mapToLong(bytes).sum() / seconds)
        : OptionalDouble.empty();
  }

  /** How long ranks took to get their state back, where there was one, in seconds. */
  public Optional<Spread> restarts() {
    return Spread.of(
        events(RunEvent.Restarted.class)
            .filter(restart -> !restart.version().isEmpty())
            .mapToDouble(RunEvent.Restarted::seconds));
  }

  /** Which tiers restarts needed after interruptions. */
  public Severities severities() {
    return histories.stream()
        .map(rank -> Severities.of(rank.lives()))
        .max(Comparator.comparingInt(Severities::restarts).thenComparingInt(Severities::severe))
        .orElseThrow();
  }

  /** What each tier cost, in the order of their first use. */
  public List<TierUse> tiers() {
    return TierUse.of(histories);
  }

  private Collection<List<RunEvent.Checkpointed>> byVersion() {
    Map<String, List<RunEvent.Checkpointed>> versions =
        events(RunEvent.Checkpointed.class)
            .collect(
                Collectors.groupingBy(
                    RunEvent.Checkpointed::version, LinkedHashMap::new, Collectors.toList()));
    return versions.values();
  }

  private <T extends RunEvent> Stream<T> events(Class<T> kind) {
    return histories.stream().flatMap(history -> history.events(kind).stream());
  }
}
