// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.function.LongBinaryOperator;
import org.cairn.comm.SizeAgreement.Kind;

/**
 * Extremes with the place where they are. A pair is two longs, value and location; it takes the
 * place of another if its value wins, or if the values are the same and its location is smaller: so
 * the order in which pairs meet does not matter.
 */
final class Locations {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final MemoryLayout PAIR = MemoryLayout.sequenceLayout(2, LONG);

  private final Communicator ranks;
  private final Operation operation;

  /**
   * Looks for an extreme.
   *
   * @param better of two values, as {@link #PAIR} has them, the one that wins
   */
  private Locations(Communicator ranks, LongBinaryOperator better) {
    this.ranks = ranks;
    this.operation = Operation.ofElements((into, next) -> choose(into, next, better));
  }

  private static void choose(MemorySegment into, MemorySegment next, LongBinaryOperator better) {
    long one = into.get(LONG, 0);
    long other = next.get(LONG, 0);
    boolean wins =
        one == other
            ? next.get(LONG, Long.BYTES) < into.get(LONG, Long.BYTES)
            : better.applyAsLong(one, other) == other;
    if (wins) {
      into.copyFrom(next);
    }
  }

  static Locations ofLongs(Communicator ranks, Reduction extreme) {
    return new Locations(
        ranks,
        switch (extreme) {
          case MIN -> Math::min;
          case MAX -> Math::max;
          default -> throw refusal(extreme);
        });
  }

  /** As {@link Math#min} and {@link Math#max}: not a number wins, and -0.0 is less than 0.0. */
  static Locations ofDoubles(Communicator ranks, Reduction extreme) {
    return new Locations(
        ranks,
        switch (extreme) {
          case MIN -> (a, b) -> bits(Math.min(value(a), value(b)));
          case MAX -> (a, b) -> bits(Math.max(value(a), value(b)));
          default -> throw refusal(extreme);
        });
  }

  /** All that are not a number are the same here, so that the smallest location counts. */
  static long bits(double value) {
    return Double.doubleToLongBits(value);
  }

  static double value(long bits) {
    return Double.longBitsToDouble(bits);
  }

  private static IllegalArgumentException refusal(Reduction extreme) {
    return new IllegalArgumentException(extreme + " has no location; MIN and MAX have");
  }

  /** The pair that wins. */
  long[] find(long value, long location) {
    long[] pair = {value, location};
    new Collectives(ranks).allReduceAlike(MemorySegment.ofArray(pair), PAIR, operation);
    return pair;
  }

  /** Puts the pairs that win into both arrays, which have the same length on all ranks. */
  void find(long[] values, long[] locations) {
    SizeAgreement.onComplaints(ranks, Kind.REDUCE, misfit(values.length, locations.length));
    long[] pairs = new long[2 * values.length];
    for (int i = 0; i < values.length; i++) {
      pairs[2 * i] = values[i];
      pairs[2 * i + 1] = locations[i];
    }
    new Collectives(ranks).allReduce(MemorySegment.ofArray(pairs), PAIR, operation);
    for (int i = 0; i < values.length; i++) {
      values[i] = pairs[2 * i];
      locations[i] = pairs[2 * i + 1];
    }
  }

  private Optional<String> misfit(int values, int locations) {
    return values == locations
        ? Optional.empty()
        : Optional.of(
            "rank %d has %d values and %d locations".formatted(ranks.rank(), values, locations));
  }
}
