// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.util.List;
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
   * How often the run was interrupted: each life that worked, did not end by itself and was
   * followed by another, and each time that the program went back within a life.
   */
  public int interruptions() {
    int count = lives.stream().mapToInt(Life::rollbacks).sum();
    for (int i = 0; i + 1 < lives.size(); i++) {
      count += lives.get(i).worked() && !lives.get(i).closed() ? 1 : 0;
    }
    return count;
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
      if (i + 1 < lives.size() && life.worked() && !life.closed()) {
        double pause = Math.max(0, Life.between(life.end(), lives.get(i + 1).start()));
        seconds += Double.isNaN(unseen) ? pause : Math.min(pause, unseen);
      }
    }
    return seconds;
  }
}
