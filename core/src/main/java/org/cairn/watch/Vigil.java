// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * What a rank knows of the activity of all: a small state machine that is told of time and of
 * beats, and says what to tell whom.
 *
 * <p>Beats go round by dissemination: in round {@code k} a rank tells the one {@code 2^(k mod log
 * P)} after it, one message a round. What a beat says is everywhere after about log2(P) rounds, by
 * many ways: a rank that is gone does not cut others off. Rounds follow the highest that is heard
 * of, so that ranks keep step.
 *
 * <p>Beats do not list who is at work: all that counts is whether <em>anybody</em> is. Who is makes
 * a number larger by one than any it has heard of; others pass on the largest. So it grows as long
 * as one of them is at work, and each rank sees with its own clock for how long it has not. (The
 * age of the last work would not do: on its way from rank to rank it would not grow.) Listed are
 * only ranks that are gone or silent, so a beat has a few bytes.
 *
 * <p>Time counts as it is watched: who was stopped for an hour has not watched for an hour.
 */
final class Vigil {
  /** Rounds after which all have heard what one knows, a lost one here and there included. */
  private static final int CYCLES = 3;

  /** Parts of the limit in which a cycle of beats fits, with ample room. */
  private static final int CYCLES_IN_LIMIT = 8;

  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(5);

  /** Of a rank that is not heard of; in watched time. */
  private record Missing(boolean left, long since, long toldAt) {}

  private final int rank;
  private final int size;
  private final int distances;
  private final long period;
  private final long silence;

  private long now;
  private long activity;
  private long activeAt;
  private long round;

  /** When the rank {@code 2^j} before this one was heard of. */
  private final long[] heardAt;

  private Optional<Beat.Breakdown> breakdown = Optional.empty();
  private final Map<Integer, Missing> missing = new TreeMap<>();

  Vigil(int rank, int size, Duration period) {
    this.rank = rank;
    this.size = size;
    this.distances = distances(size);
    this.period = period.toNanos();
    this.silence = (CYCLES * distances + 2) * period.toNanos();
    this.heardAt = new long[distances];
  }

  private static int distances(int size) {
    return Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(size - 1));
  }

  /** The time from beat to beat: news must come everywhere in a small part of the limit. */
  static Duration period(int size, Duration limit) {
    // Not by Duration, which divides decimal numbers: every process comes by here when it starts.
    long parts = CYCLES_IN_LIMIT * (distances(size) + 2L);
    return limit.toSeconds() < parts * LONGEST_PERIOD.toSeconds()
        ? Duration.ofNanos(limit.toNanos() / parts)
        : LONGEST_PERIOD;
  }

  // ---------------------------------------------------------------- what happens

  /**
   * Time passed, and the next round begins.
   *
   * @param active whether this rank was seen at work in it
   */
  void pass(long nanos, boolean active) {
    now += nanos;
    round++;
    if (active) {
      seeActivity(activity + 1);
    }
    missing.values().removeIf(one -> !one.left && now - one.toldAt > silence);
    for (int j = 0; j < distances; j++) {
      int before = Math.floorMod(rank - (1 << j), size);
      if (before != rank && now - heardAt[j] > silence && !hasLeft(before)) {
        missing.put(before, new Missing(false, heardAt[j], now));
      }
    }
  }

  /** A beat came. */
  void hear(int from, Beat beat) {
    round = Math.max(round, beat.round());
    seeActivity(beat.activity());
    for (int j = 0; j < distances; j++) {
      if (from == Math.floorMod(rank - (1 << j), size)) {
        heardAt[j] = now;
      }
    }
    beat.absences().forEach(this::hear);
    breakdown = breakdown.or(beat::breakdown);
    missing.remove(from);
    if (beat.leaving()) {
      missing.put(from, new Missing(true, now, now));
    }
  }

  /** This rank cannot go on with the others. */
  void breakDown(String reason) {
    breakdown = breakdown.or(() -> Optional.of(new Beat.Breakdown(rank, reason)));
  }

  /** The rank that cannot go on with the others, as far as it is known. */
  Optional<Beat.Breakdown> breakdown() {
    return breakdown;
  }

  private void seeActivity(long number) {
    if (number > activity) {
      activity = number;
      activeAt = now;
    }
  }

  private void hear(Beat.Absence told) {
    if (told.rank() == rank || told.rank() >= size) {
      return; // it is here
    }
    // News that were on their way for a beat must not look fresh for ever.
    Missing one =
        new Missing(told.left(), now - told.age() - period, now - told.toldAge() - period);
    missing.merge(told.rank(), one, Vigil::newer);
  }

  private static Missing newer(Missing one, Missing other) {
    if (one.left) {
      return one; // that is final, and gets no younger by being told again
    }
    return new Missing(
        one.left || other.left,
        Math.max(one.since, other.since),
        Math.max(one.toldAt, other.toldAt));
  }

  private boolean hasLeft(int other) {
    Missing known = missing.get(other);
    return known != null && known.left;
  }

  // ---------------------------------------------------------------- what to do

  /** To whom the beat of this round goes; nobody if all others have left. */
  OptionalInt next() {
    int distance = 1 << (int) (round % distances);
    for (int step = 0; step < size; step++) {
      int to = Math.floorMod(rank + distance + step, size);
      if (to != rank && !isPassedOver(to)) {
        return OptionalInt.of(to);
      }
    }
    return OptionalInt.empty();
  }

  /** Who is silent is told every other time: it may be back, but others must not be cut off. */
  private boolean isPassedOver(int other) {
    return hasLeft(other) || missing.containsKey(other) && round / distances % 2 == 1;
  }

  /** Those that are to hear at once that this rank leaves. */
  List<Integer> successors() {
    List<Integer> all = new ArrayList<>();
    for (int j = 0; j < distances; j++) {
      int to = Math.floorMod(rank + (1 << j), size);
      if (to != rank && !hasLeft(to) && !all.contains(to)) {
        all.add(to);
      }
    }
    return all;
  }

  /** What this rank has to tell. */
  Beat beat(boolean leaving) {
    List<Beat.Absence> absences = new ArrayList<>();
    missing.forEach(
        (other, one) ->
            absences.add(new Beat.Absence(other, one.left, now - one.since, now - one.toldAt)));
    return new Beat(round, activity, leaving, absences, breakdown);
  }

  /** How long no rank was seen at work. */
  Duration quiet() {
    return Duration.ofNanos(now - activeAt);
  }

  /** Who is gone or silent, in words; empty if all ranks answer. */
  Optional<String> absent() {
    List<String> words = new ArrayList<>();
    missing.forEach(
        (other, one) ->
            words.add(
                one.left
                    ? "rank %d has closed its checkpoints %s ago".formatted(other, ago(one.since))
                    : "rank %d is silent for %s".formatted(other, ago(one.since))));
    return words.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", words));
  }

  private String ago(long then) {
    return Watch.seconds(Duration.ofNanos(now - then));
  }
}
