// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Runs a job to its end, again and again; one per thread, because its arrays are used again.
 *
 * <p>The work is cut into segments, each followed by a checkpoint, and where the job stands is the
 * number of the segment: falling back is to set this number, with no rounding that adds up. What
 * was done before is known by the high-water mark alone.
 */
final class Trial {
  private enum State {
    WORK,
    CHECKPOINT,
    RECOVER,
    REWORK
  }

  private enum End {
    DONE,
    INTERRUPTED,
    OUT_OF_TIME
  }

  private final Scenario scenario;
  private final Level[] levels;
  private final long segments;
  private final BooleanSupplier cancelled;
  private final FailureSource source;
  private final Processes processes;
  private final Fallback pattern;
  private final boolean[] written;

  private Chance severities = new Chance(0, 0);
  private Chance costs = new Chance(0, 0);
  private double clock;
  private double work;
  private double checkpoint;
  private double recover;
  private double rework;
  private double nextFailure;
  private long interrupts;
  private long segment;
  private double highWater;
  private double repairedAt;

  Trial(Scenario scenario, BooleanSupplier cancelled) {
    this.scenario = scenario;
    this.cancelled = cancelled;
    levels = scenario.levels().toArray(Level[]::new);
    segments = scenario.segments();
    source = FailureSource.of(scenario.failures());
    processes = new Processes(scenario.replicas(), scenario.failures().sockets());
    pattern = new Fallback(scenario.counts());
    written = new boolean[levels.length];
  }

  Outcome run(Chance chance) {
    begin(chance);
    End end = End.DONE;
    while (segment < segments && end == End.DONE) {
      checkCancelled();
      end = compute();
      if (end == End.DONE) {
        end = save();
      }
      if (end == End.INTERRUPTED) {
        end = recover();
      }
    }
    return new Outcome(
        clock,
        work,
        checkpoint,
        recover,
        rework,
        processes.failures(),
        interrupts,
        end == End.DONE);
  }

  private void begin(Chance chance) {
    severities = chance.ofSeverities();
    costs = chance.ofCosts();
    work = 0;
    checkpoint = 0;
    recover = 0;
    rework = 0;
    Arrays.fill(written, false);
    pattern.begin();
    processes.begin(chance);
    source.begin(chance);
    nextFailure = source.next();
    clock = 0;
    interrupts = 0;
    segment = 0;
    highWater = 0;
    repairedAt = 0;
  }

  /** One segment: first what had been done before, then what had not. */
  private End compute() {
    double from = workAfter(segment);
    double to = workAfter(segment + 1);
    double known = Math.max(from, Math.min(highWater, to));
    End end = pass(State.REWORK, known - from);
    if (end != End.DONE) {
      return end;
    }
    double before = clock;
    end = pass(State.WORK, to - known);
    highWater = Math.max(highWater, end == End.DONE ? to : known + (clock - before));
    return end;
  }

  private double workAfter(long segments) {
    return segments == this.segments ? scenario.work() : segments * scenario.interval();
  }

  /** The checkpoint after a segment. Until it is complete it counts for nothing. */
  private End save() {
    long number = segment + 1;
    if (number == segments && !scenario.saveAtEnd()) {
      segment = number;
      return End.DONE;
    }
    int level = pattern.level(number);
    End end = pass(State.CHECKPOINT, cost(levels[level].cost(), written[level]));
    if (end == End.DONE) {
      written[level] = true;
      pattern.completed(number, level);
      segment = number;
    }
    return end;
  }

  private double cost(CheckpointCost cost, boolean later) {
    return switch (cost) {
      case CheckpointCost.Fixed(double seconds) -> seconds;
      case CheckpointCost.Drawn(double[] samples) -> samples[costs.below(samples.length)];
      case CheckpointCost.Differential(double full, double hash, double[] fractions) ->
          later ? hash + fractions[costs.below(fractions.length)] * full : full;
    };
  }

  /** Falls back; a failure meanwhile begins the recovery anew, a graver one a graver recovery. */
  private End recover() {
    int level = 0;
    End end = End.INTERRUPTED;
    while (end == End.INTERRUPTED) {
      level = Math.max(level, severity());
      double wait = Math.max(0, repairedAt - clock);
      end = pass(State.RECOVER, wait + levels[level].restart());
    }
    segment = pattern.rollback(level);
    return end;
  }

  private int severity() {
    int level = 0;
    if (levels.length > 1) {
      double left = severities.uniform() - levels[0].share();
      while (left >= 0 && level + 1 < levels.length) {
        level++;
        left -= levels[level].share();
      }
    }
    return level;
  }

  /** Lets time pass in one state, unless something comes between. */
  private End pass(State state, double duration) {
    double end = clock + duration;
    double until = Math.min(end, scenario.giveUpAfter());
    while (nextFailure < until) {
      double moment = nextFailure;
      boolean interrupt = source.strike(processes);
      double repaired = moment + source.repair();
      nextFailure = source.next();
      checkCancelled();
      if (interrupt) {
        interrupts++;
        repairedAt = Math.max(repairedAt, repaired);
        processes.revive();
        moveTo(moment, state);
        return End.INTERRUPTED;
      }
    }
    moveTo(until, state);
    return end > until ? End.OUT_OF_TIME : End.DONE;
  }

  private void checkCancelled() {
    if (cancelled.getAsBoolean()) {
      throw new CancellationException("cancelled in the middle of a trial");
    }
  }

  private void moveTo(double moment, State state) {
    double seconds = moment - clock;
    switch (state) {
      case WORK -> work += seconds;
      case CHECKPOINT -> checkpoint += seconds;
      case RECOVER -> recover += seconds;
      case REWORK -> rework += seconds;
    }
    clock = moment;
  }
}
