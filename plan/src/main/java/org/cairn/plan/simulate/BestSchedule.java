// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * When a job should checkpoint under failures that no formula covers, found by simulation: the
 * interval, and with several levels the counts too.
 *
 * <p>From a start, the interval and each count are doubled or halved as long as that saves time;
 * then the same with steps of √2, and of {@link #RESOLUTION}. Few failures make a rough landscape,
 * so at last all intervals around are looked at. The simulations that are compared have the same
 * seed, so that the same failures strike all of them and neighbours differ by their schedule. The
 * waste is flat around its least: being off by a step costs less than a percent there.
 *
 * <p>Intervals of more than a sixteenth of the work are made whole parts of it: with so few pieces,
 * a short last one would decide.
 */
public final class BestSchedule {
  /** The best interval is known to this factor. */
  public static final double RESOLUTION = Math.pow(2, 0.25);

  /** Steps in powers of the resolution. */
  private static final int[] STEPS = {4, 2, 1};

  /** How far around a first result all intervals are looked at, in powers of the resolution. */
  private static final int AROUND = 3;

  private static final int MANY_PIECES = 16;

  private final Scenario start;
  private final Function<Scenario, Simulation> simulate;
  private final Map<Place, Tried> known = new HashMap<>();
  private final int[] at;
  private Tried best;

  private BestSchedule(Scenario start, Function<Scenario, Simulation> simulate) {
    this.start = start;
    this.simulate = simulate;
    at = new int[1 + start.counts().length];
    best = evaluate(at);
  }

  /**
   * A schedule that was looked at.
   *
   * @param scenario with that schedule
   * @param simulation how it went
   */
  public record Tried(Scenario scenario, Simulation simulation) {}

  private record Place(double interval, List<Integer> counts) {}

  /**
   * Looks for it.
   *
   * @param start the job with a schedule that is not far off, such as a closed form's
   * @param simulate asked for each schedule, with one seed and one number of trials
   * @return what was tried, the best first, the others by their intervals
   */
  public static List<Tried> search(Scenario start, Function<Scenario, Simulation> simulate) {
    BestSchedule search = new BestSchedule(start, simulate);
    for (int step : STEPS) {
      search.descend(step);
    }
    search.lookAround();
    return search.result();
  }

  private List<Tried> result() {
    List<Tried> result = new ArrayList<>(known.values());
    result.remove(best);
    result.sort(
        Comparator.<Tried>comparingDouble(t -> t.scenario.interval())
            .thenComparing(t -> t.scenario.counts(), Arrays::compare));
    result.addFirst(best);
    return result;
  }

  private void descend(int step) {
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int[] direction : directions()) {
        moved |= walk(direction, step) || walk(direction, -step);
      }
    }
  }

  /**
   * The interval and each count alone; and a longer interval with a smaller count, which leaves the
   * expensive checkpoints where they are.
   */
  private List<int[]> directions() {
    List<int[]> directions = new ArrayList<>();
    for (int i = 0; i < at.length; i++) {
      int[] alone = new int[at.length];
      alone[i] = 1;
      directions.add(alone);
    }
    for (int i = 1; i < at.length; i++) {
      int[] against = new int[at.length];
      against[0] = 1;
      against[i] = -1;
      directions.add(against);
    }
    return directions;
  }

  private void lookAround() {
    int middle = at[0];
    for (int power = middle - AROUND; power <= middle + AROUND; power++) {
      int[] there = at.clone();
      there[0] = power;
      Tried tried = evaluate(there);
      if (tried.simulation.slowdown() < best.simulation.slowdown()) {
        best = tried;
      }
    }
  }

  /** Goes one way as long as it gets better. */
  private boolean walk(int[] direction, int step) {
    boolean moved = false;
    int[] there = moved(direction, step);
    while (evaluate(there).simulation.slowdown() < best.simulation.slowdown()) {
      System.arraycopy(there, 0, at, 0, at.length);
      best = evaluate(at);
      moved = true;
      there = moved(direction, step);
    }
    return moved;
  }

  private int[] moved(int[] direction, int step) {
    int[] there = at.clone();
    for (int i = 0; i < there.length; i++) {
      there[i] += step * direction[i];
    }
    return there;
  }

  private Tried evaluate(int[] powers) {
    double interval = whole(start.interval() * Math.pow(RESOLUTION, powers[0]));
    int[] counts = start.counts().clone();
    for (int i = 0; i < counts.length; i++) {
      double count = counts[i] * Math.pow(RESOLUTION, powers[i + 1]);
      counts[i] = Math.clamp(Math.round(count), 1, Integer.MAX_VALUE);
    }
    Place place = new Place(interval, Arrays.stream(counts).boxed().toList());
    Tried tried = known.get(place);
    if (tried == null) {
      Scenario scenario = start.at(interval, counts);
      tried = new Tried(scenario, simulate.apply(scenario));
      known.put(place, tried);
    }
    return tried;
  }

  private double whole(double interval) {
    double pieces = Math.ceil(start.work() / interval * (1 - 1e-12));
    return pieces < MANY_PIECES ? start.work() / Math.max(1, pieces) : interval;
  }
}
