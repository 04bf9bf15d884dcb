// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.DoubleStream;

/**
 * What one rank went through.
 *
 * @param rank which
 * @param lives in order of time
 * @param unreadable lines of its log that could not be read, but for a torn one at the end
 */
public record RankHistory(int rank, List<Life> lives, int unreadable) {
  /** Copies the lives. */
  public RankHistory {
    lives = List.copyOf(lives);
  }

  /** All events of a kind, in order of time. */
  public <T extends RunEvent> List<T> events(Class<T> kind) {
    return lives.stream()
        .flatMap(life -> life.events().stream())
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  /**
   * How often the run was interrupted, as far as this rank knows: each life that worked, was not
   * ended by anybody and was followed by another, and each time that the program went back within a
   * life.
   *
   * @param lost whether another rank was lost when a life ended by a signal, before the next began
   */
  int interruptions(BiPredicate<Life, Life> lost) {
    int count = lives.stream().mapToInt(Life::rollbacks).sum();
    for (int i = 0; i + 1 < lives.size(); i++) {
      Life life = lives.get(i);
      boolean wanted = life.closed() || life.terminated() && !lost.test(life, lives.get(i + 1));
      count += life.worked() && !wanted ? 1 : 0;
    }
    return count;
  }

  /** The life that went on at the same time as that of another rank. */
  Optional<Life> during(Life other) {
    return lives.stream()
        .filter(life -> life.overlap(other) >= 0)
        .max(Comparator.comparingDouble(life -> life.overlap(other)));
  }

  /**
   * Whether this rank was lost when a life of another rank ended by a signal: it was killed, or its
   * log was lost with its disk, and begins with the next life.
   */
  boolean wasLostAtEndOf(Life other, Life next) {
    Optional<Life> mine = during(other);
    return mine.isPresent()
        ? !mine.get().closed() && !mine.get().terminated()
        : during(next).filter(lives.getFirst()::equals).isPresent();
  }

  /** The times between checkpoints, in seconds. */
  public DoubleStream intervals() {
    return lives.stream().flatMap(life -> life.intervals().stream()).mapToDouble(d -> d);
  }

  /**
   * How long the program was seen at work, in seconds. Between lives it may have waited for a
   * machine, so that time does not count, but the end of an interrupted life is not logged: it lies
   * after the last event by half an interval on average, and before the next opening.
   */
  public double seconds() {
    double unseen = Spread.of(intervals()).map(spread -> spread.median() / 2).orElse(Double.NaN);
    double seconds = 0;
    for (int i = 0; i < lives.size(); i++) {
      Life life = lives.get(i);
      seconds += life.seconds();
      if (i + 1 < lives.size() && life.worked() && !life.closed() && !life.terminated()) {
        double pause = Math.max(0, Life.between(life.end(), lives.get(i + 1).start()));
        seconds += Double.isNaN(unseen) ? pause : Math.min(pause, unseen);
      }
    }
    return seconds;
  }
}
