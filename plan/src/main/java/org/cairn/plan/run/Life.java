// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a rank logged from one opening of its checkpoints to the next.
 *
 * @param events at least one, in order; the first is the opening, unless the head of the log is
 *     lost
 */
public record Life(List<RunEvent> events) {
  /** Copies the events. */
  public Life {
    events = List.copyOf(events);
  }

  static List<Life> split(List<RunEvent> events) {
    List<Life> lives = new ArrayList<>();
    List<RunEvent> current = new ArrayList<>();
    for (RunEvent event : events) {
      if (event instanceof RunEvent.Opened && !current.isEmpty()) {
        lives.add(new Life(current));
        current.clear();
      }
      current.add(event);
    }
    if (!current.isEmpty()) {
      lives.add(new Life(current));
    }
    return lives;
  }

  /** The first event. */
  public Instant start() {
    return events.getFirst().time();
  }

  /** The last event; the program may have lived longer. */
  public Instant end() {
    return events.getLast().time();
  }

  /** From the first event to the last, in seconds; 0 if a clock was set back meanwhile. */
  public double seconds() {
    return Math.max(0, between(start(), end()));
  }

  /** Whether the program ended by itself; an older Cairn did not log it. */
  public boolean closed() {
    return events.getLast() instanceof RunEvent.Closed;
  }

  /** Whether somebody wanted the process to end; see {@link RunEvent.Terminated}. */
  public boolean terminated() {
    return events.getLast() instanceof RunEvent.Terminated;
  }

  /** How long both went on at the same time, in seconds; negative if they did not. */
  double overlap(Life other) {
    Instant from = start().isAfter(other.start()) ? start() : other.start();
    Instant to = end().isBefore(other.end()) ? end() : other.end();
    return between(from, to);
  }

  /**
   * Whether the program came to compute, as far as the log shows. One that never restarts and dies
   * before its first checkpoint leaves an opening only, as a look at the checkpoints would.
   */
  public boolean worked() {
    return !events.stream()
        .allMatch(
            e ->
                e instanceof RunEvent.Opened
                    || e instanceof RunEvent.Closed
                    || e instanceof RunEvent.Terminated);
  }

  /** The first time that the program got a state back, if it did. */
  Optional<RunEvent.Restarted> firstRestart() {
    return events.stream()
        .filter(RunEvent.Restarted.class::isInstance)
        .map(RunEvent.Restarted.class::cast)
        .filter(restart -> !restart.version().isEmpty())
        .findFirst();
  }

  /** How often the program went back to a checkpoint after it had come to others, in one life. */
  public int rollbacks() {
    int rollbacks = 0;
    boolean computed = false;
    for (RunEvent event : events) {
      if (event instanceof RunEvent.Restarted) {
        rollbacks += computed ? 1 : 0;
        computed = false;
      } else if (event instanceof RunEvent.Checkpointed
          || event instanceof RunEvent.CheckpointFailed) {
        computed = true;
      }
    }
    return rollbacks;
  }

  /** The times between the beginnings of checkpoints that follow each other, in seconds. */
  public List<Double> intervals() {
    List<Double> intervals = new ArrayList<>();
    List<Instant> before = new ArrayList<>();
    for (RunEvent event : events) {
      if (event instanceof RunEvent.Restarted) {
        before.clear();
      } else if (event instanceof RunEvent.Checkpointed checkpoint) {
        before.forEach(start -> intervals.add(between(start, checkpoint.started())));
        before.clear();
        before.add(checkpoint.started());
      }
    }
    intervals.removeIf(seconds -> seconds < 0);
    return intervals;
  }

  /** The times of computation between checkpoints: the same without what the program waited. */
  public List<Double> computations() {
    List<Double> computations = new ArrayList<>();
    RunEvent.Checkpointed before = null;
    for (RunEvent event : events) {
      if (event instanceof RunEvent.Restarted) {
        before = null;
      } else if (event instanceof RunEvent.Checkpointed checkpoint) {
        if (before != null) {
          computations.add(
              between(before.started(), checkpoint.started()) - before.waitedSeconds());
        }
        before = checkpoint;
      }
    }
    computations.removeIf(seconds -> !(seconds >= 0));
    return computations;
  }

  static double between(Instant from, Instant to) {
    // Not toNanos, which a damaged time could make overflow.
    Duration time = Duration.between(from, to);
    return time.getSeconds() + time.getNano() * 1e-9;
  }
}
