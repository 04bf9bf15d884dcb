// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.LocatedDouble;
import org.cairn.comm.LocatedLong;
import org.cairn.comm.Operation;
import org.cairn.comm.Reduction;

/**
 * Scenarios of scans, of operations that programs bring along, and of extremes with locations. As
 * in {@link CollectiveScenarios} every rank works out by itself what must come out.
 */
final class OperationScenarios {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /** Two by two, row by row. */
  private static final MemoryLayout MATRIX = MemoryLayout.sequenceLayout(4, ValueLayout.JAVA_LONG);

  /** Three numbers, which do not divide a power of two. */
  private static final MemoryLayout TRIPLE = MemoryLayout.sequenceLayout(3, ValueLayout.JAVA_LONG);

  private OperationScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("scan integers", 1, OperationScenarios::scanIntegers),
        new Scenario("scan floating point", 1, OperationScenarios::scanNumbers),
        new Scenario("scan single values", 1, OperationScenarios::scanSingleValues),
        new Scenario("scan, sizes that differ", 2, OperationScenarios::scanMisfit),
        new Scenario("own operations keep the order", 1, OperationScenarios::matrices),
        new Scenario("own operations on many elements", 1, OperationScenarios::manyElements),
        new Scenario("own operations on numbers", 1, OperationScenarios::ownNumbers),
        new Scenario("same bits on every rank", 1, OperationScenarios::sameBits),
        new Scenario("operations that do not fit", 1, OperationScenarios::refuseOthers),
        new Scenario("locate", 1, OperationScenarios::locate),
        new Scenario("locate, misuse", 1, OperationScenarios::locateMisuse));
  }

  /** Not too many, for the model is slow; {@link #manyElements} has many. */
  private static int length(Random random) {
    return Math.min(500, CollectiveScenarios.length(random));
  }

  // Scans.

  /** The simple model: one after the other, from rank 0 on. */
  private static long[] scanned(Reduction reduction, List<long[]> all, int rank) {
    return IntStream.range(0, all.getFirst().length)
        .mapToLong(
            i ->
                CollectiveScenarios.expected(
                    reduction, all.subList(0, rank + 1).stream().map(v -> v[i]).toList()))
        .toArray();
  }

  private static void scanIntegers(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (Reduction reduction : Reduction.values()) {
      int length = length(random);
      List<long[]> all = new ArrayList<>();
      for (int rank = 0; rank < ranks.size(); rank++) {
        all.add(random.longs(length).map(v -> (v & 3) == 0 ? (v >> 2) & 1 : v).toArray());
      }
      long[] values = all.get(ranks.rank()).clone();
      ranks.scan(values, reduction);
      assertThat(values).as(reduction.name()).isEqualTo(scanned(reduction, all, ranks.rank()));

      int[] ints = ints(all.get(ranks.rank()));
      ranks.scan(ints, reduction);
      List<long[]> narrow =
          all.stream().map(v -> IntStream.of(ints(v)).asLongStream().toArray()).toList();
      assertThat(ints)
          .as(reduction.name())
          .isEqualTo(ints(scanned(reduction, narrow, ranks.rank())));
    }
  }

  private static int[] ints(long[] values) {
    return Arrays.stream(values).mapToInt(value -> (int) value).toArray();
  }

  /** To the last bit what a reduction among fewer ranks gives. */
  private static void scanNumbers(Communicator ranks, long seed) {
    Random random = new Random(seed);
    int length = 1 + length(random);
    List<double[]> all = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      all.add(random.doubles(length).map(x -> (x - .5) * Math.exp(40 * x)).toArray());
    }
    double[] sums = all.get(ranks.rank()).clone();
    ranks.scan(sums, Reduction.SUM);
    assertThat(sums)
        .isEqualTo(
            IntStream.range(0, length)
                .mapToDouble(i -> fold(all, ranks.rank(), i, Double::sum))
                .toArray());
    float[] products = new float[length];
    float[] expected = new float[length];
    for (int i = 0; i < length; i++) {
      products[i] = (float) all.get(ranks.rank())[i];
      List<Float> column = column(all, ranks.rank(), i).stream().map(Double::floatValue).toList();
      expected[i] = CollectiveScenarios.fold(column, (a, b) -> a * b);
    }
    ranks.scan(products, Reduction.PRODUCT);
    assertThat(products).isEqualTo(expected);

    double[] ofAll = all.get(ranks.rank()).clone();
    ranks.allReduce(ofAll, Reduction.SUM);
    double[] ofLast = sums.clone();
    ranks.broadcast(ofLast, ranks.size() - 1);
    assertThat(ofLast).as("the last rank has the reduction of all").isEqualTo(ofAll);
  }

  private static List<Double> column(List<double[]> all, int rank, int index) {
    return all.subList(0, rank + 1).stream().map(values -> values[index]).toList();
  }

  private static double fold(
      List<double[]> all, int rank, int index, BinaryOperator<Double> operator) {
    return CollectiveScenarios.fold(column(all, rank, index), operator);
  }

  private static void scanSingleValues(Communicator ranks, long seed) {
    int me = ranks.rank();
    assertThat(ranks.scan(me + 1L, Reduction.SUM)).isEqualTo((me + 1L) * (me + 2) / 2);
    assertThat(ranks.scan(-.5 * me, Reduction.MIN)).isEqualTo(-.5 * me);
    assertThat(ranks.scan(me == 0 ? 3 : 0, Reduction.LOGICAL_OR)).isEqualTo(1);
    assertThat(ranks.scan(2L, Operation.ofLongs((a, b) -> a * b))).isEqualTo(2L << me);
  }

  private static void scanMisfit(Communicator ranks, long seed) {
    int odd = new Random(seed).nextInt(ranks.size());
    assertThatThrownBy(() -> ranks.scan(new long[ranks.rank() == odd ? 3 : 2], Reduction.SUM))
        .isInstanceOf(CommunicationException.class)
        .hasMessageContaining("scan: sizes differ")
        .hasMessageContaining("rank " + odd + " has 24");
  }

  // Own operations.

  private static long[] times(long[] a, long[] b) {
    return new long[] {
      a[0] * b[0] + a[1] * b[2],
      a[0] * b[1] + a[1] * b[3],
      a[2] * b[0] + a[3] * b[2],
      a[2] * b[1] + a[3] * b[3]
    };
  }

  private static long[] matrix(MemorySegment memory) {
    return memory.toArray(LONG);
  }

  private static final Operation PRODUCT_OF_MATRICES =
      Operation.ofElements(
          (into, next) -> into.copyFrom(MemorySegment.ofArray(times(matrix(into), matrix(next)))));

  /** Matrices do not commute, but are associative without any rounding: the order shows. */
  private static void matrices(Communicator ranks, long seed) {
    Random random = new Random(seed);
    int count = 1 + random.nextInt(20);
    List<List<long[]>> all = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      all.add(IntStream.range(0, count).mapToObj(i -> random.longs(4).toArray()).toList());
    }
    int root = random.nextInt(ranks.size());
    long[] mine = flat(all.get(ranks.rank()));
    long[] product = flat(productUpTo(all, ranks.size() - 1));

    long[] values = mine.clone();
    ranks.allReduce(MemorySegment.ofArray(values), MATRIX, PRODUCT_OF_MATRICES);
    assertThat(values).isEqualTo(product);
    values = mine.clone();
    ranks.reduce(MemorySegment.ofArray(values), MATRIX, PRODUCT_OF_MATRICES, root);
    assertThat(values).isEqualTo(ranks.rank() == root ? product : mine);
    values = mine.clone();
    ranks.scan(MemorySegment.ofArray(values), MATRIX, PRODUCT_OF_MATRICES);
    assertThat(values).isEqualTo(flat(productUpTo(all, ranks.rank())));
  }

  private static List<long[]> productUpTo(List<List<long[]>> all, int rank) {
    List<long[]> product = all.getFirst();
    for (List<long[]> next : all.subList(1, rank + 1)) {
      List<long[]> before = product;
      product =
          IntStream.range(0, before.size())
              .mapToObj(i -> times(before.get(i), next.get(i)))
              .toList();
    }
    return product;
  }

  private static long[] flat(List<long[]> matrices) {
    return matrices.stream().flatMapToLong(Arrays::stream).toArray();
  }

  /** More than goes at once, in elements that are not cut although they do not divide it. */
  private static void manyElements(Communicator ranks, long seed) {
    int count = 60_000;
    long[] values = new long[3 * count];
    Arrays.setAll(values, i -> i % 3 == 0 ? ranks.rank() : i);
    Operation sumOfFirst =
        Operation.ofElements(
            (into, next) -> {
              if (into.byteSize() != TRIPLE.byteSize()
                  || into.get(LONG, 8) != next.get(LONG, 8)
                  || into.get(LONG, 16) != into.get(LONG, 8) + 1) {
                throw new AssertionError("an element was cut");
              }
              into.set(LONG, 0, into.get(LONG, 0) + next.get(LONG, 0));
            });
    long[] scanned = values.clone();
    ranks.scan(MemorySegment.ofArray(scanned), TRIPLE, sumOfFirst);
    ranks.allReduce(MemorySegment.ofArray(values), TRIPLE, sumOfFirst);
    long n = ranks.size();
    long me = ranks.rank();
    for (int i = 0; i < values.length; i++) {
      if (values[i] != (i % 3 == 0 ? n * (n - 1) / 2 : i)
          || scanned[i] != (i % 3 == 0 ? me * (me + 1) / 2 : i)) {
        throw new AssertionError("element " + i + " is " + values[i] + " and " + scanned[i]);
      }
    }
  }

  /** The last that is not 0 of all: associative, and the order matters. */
  private static void ownNumbers(Communicator ranks, long seed) {
    Operation lastOfAll = Operation.ofLongs((a, b) -> b != 0 ? b : a);
    Random random = new Random(seed);
    List<int[]> all = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      all.add(random.ints(50, -2, 3).toArray());
    }
    int[] expected = new int[50];
    for (int[] values : all) {
      Arrays.setAll(expected, i -> values[i] != 0 ? values[i] : expected[i]);
    }
    int[] ints = all.get(ranks.rank()).clone();
    ranks.allReduce(ints, lastOfAll);
    assertThat(ints).isEqualTo(expected);
    long[] longs = IntStream.of(all.get(ranks.rank())).asLongStream().toArray();
    ranks.allReduce(longs, lastOfAll);
    assertThat(ints(longs)).isEqualTo(expected);
    assertThat(ranks.allReduce(ranks.rank() + 1L, lastOfAll)).isEqualTo(ranks.size());

    Operation lengths = Operation.ofDoubles((a, b) -> Math.sqrt(a * a + b * b));
    List<Double> sides = random.doubles(ranks.size()).boxed().toList();
    double length = CollectiveScenarios.fold(sides, (a, b) -> Math.sqrt(a * a + b * b));
    double[] doubles = {sides.get(ranks.rank())};
    ranks.reduce(doubles, lengths, 0);
    assertThat(doubles[0]).isEqualTo(ranks.rank() == 0 ? length : sides.get(ranks.rank()));
    assertThat(ranks.allReduce((double) sides.get(ranks.rank()), lengths)).isEqualTo(length);
    float[] floats = {2};
    ranks.allReduce(floats, Operation.ofDoubles((a, b) -> a * b));
    assertThat(floats[0]).isEqualTo((float) Math.pow(2, ranks.size()));
  }

  private static void sameBits(Communicator ranks, long seed) {
    double[] values = new Random(seed + ranks.rank()).doubles(40).map(x -> 1 / (x - .5)).toArray();
    List<Operation> operations =
        List.of(
            Reduction.SUM,
            Reduction.PRODUCT,
            Operation.ofDoubles((a, b) -> a + b * 1.1)); // not even associative
    for (Operation operation : operations) {
      double[] mine = values.clone();
      ranks.allReduce(mine, operation);
      double[] all = new double[40 * ranks.size()];
      ranks.allGather(mine, all);
      double[] again = values.clone();
      ranks.allReduce(again, operation);
      assertThat(again).isEqualTo(mine);
      for (int i = 0; i < all.length; i++) {
        assertThat(Double.doubleToRawLongBits(all[i]))
            .isEqualTo(Double.doubleToRawLongBits(mine[i % 40]));
      }
    }
  }

  private static void refuseOthers(Communicator ranks, long seed) {
    assertThatThrownBy(() -> ranks.allReduce(new long[1], Operation.ofDoubles(Math::max)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an operation of floating-point numbers cannot combine integers");
    assertThatThrownBy(() -> ranks.scan(new float[1], Operation.ofLongs(Math::max)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an operation of integers cannot combine floating-point numbers");
    MemorySegment memory = MemorySegment.ofArray(new long[8]);
    assertThatThrownBy(() -> ranks.allReduce(memory, MATRIX, Reduction.SUM))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("need an operation of elements");
    assertThatThrownBy(() -> ranks.allReduce(memory, TRIPLE, PRODUCT_OF_MATRICES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("64 bytes are not a number of elements of 24 bytes");
    assertThatThrownBy(() -> ranks.scan(new double[1], Reduction.BITWISE_XOR))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("BITWISE_XOR is for integers");
  }

  // Locations.

  /** Few values, so that there are ties, and those that are odd to compare. */
  private static final double[] VALUES = {1.5, -2, 0.0, -0.0, Double.NaN, Double.MAX_VALUE};

  private static void locate(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (Reduction extreme : List.of(Reduction.MIN, Reduction.MAX)) {
      int length = length(random);
      List<List<LocatedDouble>> all = new ArrayList<>();
      for (int rank = 0; rank < ranks.size(); rank++) {
        all.add(
            IntStream.range(0, length)
                .mapToObj(i -> new LocatedDouble(VALUES[random.nextInt(6)], random.nextInt(9)))
                .toList());
      }
      List<LocatedDouble> mine = all.get(ranks.rank());
      double[] values = mine.stream().mapToDouble(LocatedDouble::value).toArray();
      long[] locations = mine.stream().mapToLong(LocatedDouble::location).toArray();
      ranks.locate(values, locations, extreme);
      for (int i = 0; i < length; i++) {
        int index = i;
        LocatedDouble expected =
            best(extreme, all.stream().map(pairs -> pairs.get(index)).toList());
        assertThat(new LocatedDouble(values[i], locations[i]))
            .as(extreme.name())
            .isEqualTo(expected);
      }
      locateLongs(ranks, random, extreme);
    }
    int me = ranks.rank();
    assertThat(ranks.locate(-1.5 * me, me, Reduction.MIN))
        .isEqualTo(new LocatedDouble(-1.5 * (ranks.size() - 1), ranks.size() - 1));
  }

  /** A sequential search. */
  private static LocatedDouble best(Reduction extreme, List<LocatedDouble> all) {
    double value = all.getFirst().value();
    for (LocatedDouble next : all) {
      value =
          extreme == Reduction.MIN ? Math.min(value, next.value()) : Math.max(value, next.value());
    }
    double found = value;
    long location =
        all.stream()
            .filter(pair -> Double.compare(pair.value(), found) == 0)
            .mapToLong(LocatedDouble::location)
            .min()
            .orElseThrow();
    return new LocatedDouble(value, location);
  }

  private static void locateLongs(Communicator ranks, Random random, Reduction extreme) {
    long[] all = random.longs(ranks.size(), -2, 2).toArray();
    long best =
        extreme == Reduction.MIN
            ? Arrays.stream(all).min().orElseThrow()
            : Arrays.stream(all).max().orElseThrow();
    int where = IntStream.range(0, all.length).filter(i -> all[i] == best).min().orElseThrow();
    assertThat(ranks.locate(all[ranks.rank()], ranks.rank(), extreme))
        .isEqualTo(new LocatedLong(best, where));
    long[] values = {all[ranks.rank()], 7};
    long[] locations = {ranks.rank(), -ranks.rank()};
    ranks.locate(values, locations, extreme);
    assertThat(values).containsExactly(best, 7);
    assertThat(locations).containsExactly(where, 1 - ranks.size());
  }

  private static void locateMisuse(Communicator ranks, long seed) {
    assertThatThrownBy(() -> ranks.locate(1.0, 0, Reduction.SUM))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("SUM has no location; MIN and MAX have");
    int odd = new Random(seed).nextInt(ranks.size());
    long[] locations = new long[ranks.rank() == odd ? 3 : 2];
    assertThatThrownBy(() -> ranks.locate(new double[2], locations, Reduction.MIN))
        .isInstanceOf(CommunicationException.class)
        .hasMessage("reduce: rank " + odd + " has 2 values and 3 locations");
  }
}
