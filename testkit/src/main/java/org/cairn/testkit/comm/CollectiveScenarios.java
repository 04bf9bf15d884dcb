// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;

/**
 * Scenarios of collectives. What a rank contributes follows from the seed and its number, so every
 * rank knows what the others give, and works out by itself what must come out.
 */
final class CollectiveScenarios {
  private CollectiveScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("barrier", 1, CollectiveScenarios::barrier),
        new Scenario("broadcast", 1, CollectiveScenarios::broadcast),
        new Scenario("reduce integers", 1, CollectiveScenarios::reduceIntegers),
        new Scenario("reduce floating point", 1, CollectiveScenarios::reduceNumbers),
        new Scenario("reduce single values", 1, CollectiveScenarios::reduceSingleValues),
        new Scenario("reduce many values", 1, CollectiveScenarios::reduceManyValues),
        new Scenario("no logic on floating point", 1, CollectiveScenarios::refuseLogic),
        new Scenario("equal parts", 1, CollectiveScenarios::equalParts),
        new Scenario("parts of any length", 1, CollectiveScenarios::partsOfAnyLength),
        new Scenario("announce", 1, CollectiveScenarios::announce),
        new Scenario("merge", 1, CollectiveScenarios::merge),
        new Scenario("gather much", 2, CollectiveScenarios::gatherMuch),
        new Scenario("sizes that differ", 2, CollectiveScenarios::sizesThatDiffer),
        new Scenario("memory that is too small", 1, CollectiveScenarios::memoryTooSmall));
  }

  /** Comparable on one machine, which is where tests run. */
  private static void barrier(Communicator ranks, long seed) throws InterruptedException {
    Random random = new Random(seed);
    for (int i = 0; i < 3; i++) {
      if (random.nextInt(ranks.size()) == ranks.rank()) {
        Thread.sleep(15);
      }
      long entered = System.currentTimeMillis();
      ranks.barrier();
      long left = System.currentTimeMillis();
      assertThat(ranks.allReduce(entered, Reduction.MAX))
          .isLessThanOrEqualTo(ranks.allReduce(left, Reduction.MIN));
    }
  }

  private static void broadcast(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (int root = 0; root < ranks.size(); root++) {
      long[] content = random.longs(length(random)).toArray();
      long[] data = ranks.rank() == root ? content.clone() : new long[content.length];
      ranks.broadcast(data, root);
      assertThat(data).isEqualTo(content);
      byte[] bytes = {(byte) (ranks.rank() == root ? 42 : 0)};
      ranks.broadcast(bytes, root);
      assertThat(bytes).containsExactly(42);
    }
  }

  /** Often few, now and then none, or more than a transport sends without a receiver. */
  static int length(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1 -> 10_000 + random.nextInt(10_000);
      default -> 1 + random.nextInt(50);
    };
  }

  /** Around the lengths at which bytes are handed out in parts, and fewer than there are ranks. */
  private static void announce(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (int root = 0; root < ranks.size(); root++) {
      for (int length : List.of(0, 1, ranks.size() + 1024, 1024, 1025, length(random))) {
        byte[] words = new byte[length];
        random.nextBytes(words);
        byte[] heard = ranks.announce(ranks.rank() == root ? words : new byte[0], root);
        assertThat(heard).isEqualTo(words);
      }
    }
  }

  /** Joining texts tells the order: neighbours first, and never one before the other. */
  private static void merge(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 3; round++) {
      List<String> all =
          IntStream.range(0, ranks.size())
              .mapToObj(rank -> rank + "x".repeat(length(random) / 8) + ",")
              .toList();
      byte[] merged =
          ranks.allMerge(
              all.get(ranks.rank()).getBytes(StandardCharsets.UTF_8),
              (one, next) -> (text(one) + text(next)).getBytes(StandardCharsets.UTF_8));
      assertThat(text(merged)).isEqualTo(String.join("", all));
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** More than is worth copying: it is sent from where it is. */
  private static void gatherMuch(Communicator ranks, long seed) {
    int length = (16 << 20) / ranks.size() + 8 + (int) (seed & 7);
    byte[] mine = new byte[length + ranks.rank()];
    Arrays.fill(mine, (byte) ranks.rank());
    List<byte[]> all = ranks.allGather(mine);
    byte[] equal = new byte[ranks.size() * length];
    ranks.allGather(MemorySegment.ofArray(mine).asSlice(0, length), MemorySegment.ofArray(equal));
    for (int rank = 0; rank < ranks.size(); rank++) {
      byte[] expected = new byte[length + rank];
      Arrays.fill(expected, (byte) rank);
      assertThat(all.get(rank)).isEqualTo(expected);
      assertThat(Arrays.mismatch(equal, rank * length, (rank + 1) * length, expected, 0, length))
          .isEqualTo(-1);
    }
  }

  // Reductions.

  /** As the collectives combine: halves of which the first is a power of two. */
  static <T> T fold(List<T> values, BinaryOperator<T> operator) {
    if (values.size() == 1) {
      return values.getFirst();
    }
    int half = Integer.highestOneBit(values.size() - 1);
    return operator.apply(
        fold(values.subList(0, half), operator),
        fold(values.subList(half, values.size()), operator));
  }

  private static long combine(Reduction reduction, long a, long b) {
    return switch (reduction) {
      case SUM -> a + b;
      case PRODUCT -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case LOGICAL_AND -> a != 0 && b != 0 ? 1 : 0;
      case LOGICAL_OR -> a != 0 || b != 0 ? 1 : 0;
      case BITWISE_AND -> a & b;
      case BITWISE_OR -> a | b;
      case BITWISE_XOR -> a ^ b;
    };
  }

  static long expected(Reduction reduction, List<Long> values) {
    boolean logical = reduction == Reduction.LOGICAL_AND || reduction == Reduction.LOGICAL_OR;
    return values.size() == 1 && logical
        ? (values.getFirst() == 0 ? 0 : 1)
        : fold(values, (a, b) -> combine(reduction, a, b));
  }

  /** What each rank gives; zeros and ones are frequent, for logic. */
  private static List<long[]> contributions(int ranks, Random random) {
    int length = length(random);
    return IntStream.range(0, ranks)
        .mapToObj(
            rank ->
                random
                    .longs(length)
                    .map(value -> (value & 3) == 0 ? (value >> 2) & 1 : value)
                    .toArray())
        .toList();
  }

  private static List<Long> column(List<long[]> all, int index) {
    return all.stream().map(values -> values[index]).toList();
  }

  private static void reduceIntegers(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (Reduction reduction : Reduction.values()) {
      List<long[]> all = contributions(ranks.size(), random);
      long[] mine = all.get(ranks.rank());
      long[] expected =
          IntStream.range(0, mine.length)
              .mapToLong(i -> expected(reduction, column(all, i)))
              .toArray();
      int root = random.nextInt(ranks.size());
      long[] values = mine.clone();
      ranks.reduce(values, reduction, root);
      assertThat(values).isEqualTo(ranks.rank() == root ? expected : mine);
      values = mine.clone();
      ranks.allReduce(values, reduction);
      assertThat(values).as(reduction.name()).isEqualTo(expected);
      reduceInts(ranks, all, reduction, root);
    }
  }

  private static void reduceInts(
      Communicator ranks, List<long[]> all, Reduction reduction, int root) {
    int[] mine = ints(all.get(ranks.rank()));
    List<long[]> narrowed =
        all.stream().map(values -> IntStream.of(ints(values)).asLongStream().toArray()).toList();
    int[] expected =
        IntStream.range(0, mine.length)
            .map(i -> (int) expected(reduction, column(narrowed, i)))
            .toArray();
    int[] values = mine.clone();
    ranks.reduce(values, reduction, root);
    assertThat(values).isEqualTo(ranks.rank() == root ? expected : mine);
    values = mine.clone();
    ranks.allReduce(values, reduction);
    assertThat(values).as(reduction.name()).isEqualTo(expected);
  }

  private static int[] ints(long[] values) {
    return IntStream.range(0, values.length).map(i -> (int) values[i]).toArray();
  }

  /** To the last bit: sums depend on the order, and the order is promised. */
  private static void reduceNumbers(Communicator ranks, long seed) {
    Random random = new Random(seed);
    Map<Reduction, BinaryOperator<Double>> operators =
        new TreeMap<>(
            Map.of(
                Reduction.SUM, Double::sum,
                Reduction.PRODUCT, (a, b) -> a * b,
                Reduction.MIN, Math::min,
                Reduction.MAX, Math::max));
    for (Map.Entry<Reduction, BinaryOperator<Double>> entry : operators.entrySet()) {
      int length = length(random);
      List<double[]> all = new ArrayList<>();
      for (int rank = 0; rank < ranks.size(); rank++) {
        all.add(random.doubles(length).map(x -> (x - .5) * Math.exp(40 * x)).toArray());
      }
      int root = random.nextInt(ranks.size());
      reduceDoubles(ranks, all, entry.getKey(), entry.getValue(), root);
      reduceFloats(ranks, all, entry.getKey(), entry.getValue(), root);
    }
  }

  private static void reduceDoubles(
      Communicator ranks,
      List<double[]> all,
      Reduction reduction,
      BinaryOperator<Double> operator,
      int root) {
    double[] mine = all.get(ranks.rank());
    double[] expected =
        IntStream.range(0, mine.length)
            .mapToDouble(i -> fold(all.stream().map(values -> values[i]).toList(), operator))
            .toArray();
    double[] values = mine.clone();
    ranks.reduce(values, reduction, root);
    assertThat(values).isEqualTo(ranks.rank() == root ? expected : mine);
    values = mine.clone();
    ranks.allReduce(values, reduction);
    assertThat(values).as(reduction.name()).isEqualTo(expected);
  }

  private static void reduceFloats(
      Communicator ranks,
      List<double[]> all,
      Reduction reduction,
      BinaryOperator<Double> operator,
      int root) {
    float[] mine = floats(all.get(ranks.rank()));
    float[] expected = new float[mine.length];
    for (int i = 0; i < mine.length; i++) {
      int index = i;
      List<Float> column = all.stream().map(values -> (float) values[index]).toList();
      expected[i] = fold(column, (a, b) -> operator.apply((double) a, (double) b).floatValue());
    }
    float[] values = mine.clone();
    ranks.reduce(values, reduction, root);
    assertThat(values).isEqualTo(ranks.rank() == root ? expected : mine);
    values = mine.clone();
    ranks.allReduce(values, reduction);
    assertThat(values).as(reduction.name()).isEqualTo(expected);
  }

  private static float[] floats(double[] values) {
    float[] result = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = (float) values[i];
    }
    return result;
  }

  private static void reduceSingleValues(Communicator ranks, long seed) {
    int n = ranks.size();
    assertThat(ranks.allReduce(ranks.rank() + 1L, Reduction.SUM)).isEqualTo(n * (n + 1L) / 2);
    assertThat(ranks.allReduce(ranks.rank(), Reduction.MAX)).isEqualTo(n - 1);
    assertThat(ranks.allReduce(ranks.rank() == 0 ? 0 : 5, Reduction.LOGICAL_AND)).isZero();
    assertThat(ranks.allReduce(5, Reduction.LOGICAL_AND)).isEqualTo(1);
    assertThat(ranks.allReduce(-.5 * ranks.rank(), Reduction.MIN)).isEqualTo(-.5 * (n - 1));
    assertThat(ranks.allReduce(Double.NaN, Reduction.MAX)).isNaN();
  }

  /** More than goes up the tree at once. */
  private static void reduceManyValues(Communicator ranks, long seed) {
    int[] values = new int[600_001];
    for (int i = 0; i < values.length; i++) {
      values[i] = i + ranks.rank();
    }
    ranks.allReduce(values, Reduction.SUM);
    int n = ranks.size();
    for (int i = 0; i < values.length; i++) {
      if (values[i] != n * i + n * (n - 1) / 2) {
        throw new AssertionError("element " + i + " is " + values[i]);
      }
    }
  }

  private static void refuseLogic(Communicator ranks, long seed) {
    for (Reduction reduction : Reduction.values()) {
      if (reduction.compareTo(Reduction.MAX) > 0) {
        assertThatThrownBy(() -> ranks.allReduce(1.0, reduction))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(reduction.name());
        assertThatThrownBy(() -> ranks.reduce(new float[1], reduction, 0))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
    MemorySegment bytes = MemorySegment.ofArray(new byte[8]);
    assertThatThrownBy(() -> ranks.allReduce(bytes, ValueLayout.JAVA_BYTE, Reduction.SUM))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // Parts.

  private static void equalParts(Communicator ranks, long seed) {
    Random random = new Random(seed);
    int n = ranks.size();
    for (int root = 0; root < n; root++) {
      int length = length(random);
      double[] all = random.doubles((long) n * length).toArray();
      double[] mine = part(all, ranks.rank(), length);

      double[] gathered = new double[ranks.rank() == root ? all.length : 0];
      ranks.gather(mine, gathered, root);
      assertThat(gathered).isEqualTo(ranks.rank() == root ? all : new double[0]);

      double[] everywhere = new double[all.length];
      ranks.allGather(mine, everywhere);
      assertThat(everywhere).isEqualTo(all);

      double[] scattered = new double[length];
      ranks.scatter(ranks.rank() == root ? all : new double[0], scattered, root);
      assertThat(scattered).isEqualTo(mine);
      exchangeEqualParts(ranks, random, length);
    }
  }

  private static void exchangeEqualParts(Communicator ranks, Random random, int length) {
    int n = ranks.size();
    List<long[]> sent = new ArrayList<>();
    for (int rank = 0; rank < n; rank++) {
      sent.add(random.longs((long) n * length).toArray());
    }
    long[] expected = new long[n * length];
    for (int rank = 0; rank < n; rank++) {
      System.arraycopy(sent.get(rank), ranks.rank() * length, expected, rank * length, length);
    }
    long[] incoming = new long[n * length];
    ranks.allToAll(sent.get(ranks.rank()), incoming);
    assertThat(incoming).isEqualTo(expected);
  }

  private static double[] part(double[] all, int rank, int length) {
    double[] part = new double[length];
    System.arraycopy(all, rank * length, part, 0, length);
    return part;
  }

  private static void partsOfAnyLength(Communicator ranks, long seed) {
    Random random = new Random(seed);
    int n = ranks.size();
    for (int root = 0; root < n; root++) {
      List<List<byte[]>> matrix = new ArrayList<>();
      for (int rank = 0; rank < n; rank++) {
        matrix.add(blocks(n, random));
      }
      List<byte[]> row = matrix.get(root);
      byte[] mine = row.get(ranks.rank());

      List<byte[]> gathered = ranks.gather(mine, root);
      assertSame(gathered, ranks.rank() == root ? row : List.of());
      assertSame(ranks.allGather(mine), row);
      assertThat(ranks.scatter(ranks.rank() == root ? row : List.of(), root)).isEqualTo(mine);
      List<byte[]> column = matrix.stream().map(blocks -> blocks.get(ranks.rank())).toList();
      assertSame(ranks.allToAll(matrix.get(ranks.rank())), column);
    }
  }

  private static List<byte[]> blocks(int count, Random random) {
    List<byte[]> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] block = new byte[length(random) * 9];
      random.nextBytes(block);
      blocks.add(block);
    }
    return blocks;
  }

  private static void assertSame(List<byte[]> actual, List<byte[]> expected) {
    assertThat(actual.toArray(new byte[0][])).isDeepEqualTo(expected.toArray(new byte[0][]));
  }

  // Mistakes.

  /** One rank gives more than the others: all hear of it, and can go on afterwards. */
  private static void sizesThatDiffer(Communicator ranks, long seed) {
    int n = ranks.size();
    int odd = new Random(seed).nextInt(n);
    int length = ranks.rank() == odd ? 3 : 2;
    byte[] mine = new byte[8 * length];
    double[] all = new double[n * length];
    Map<String, ThrowingCallable> collectives =
        new TreeMap<>(
            Map.of(
                "broadcast", () -> ranks.broadcast(mine, n - 1),
                "reduce", () -> ranks.reduce(new long[length], Reduction.SUM, 0),
                "reduce:", () -> ranks.allReduce(new double[length], Reduction.SUM),
                "gather", () -> ranks.gather(new double[length], all, n - 1),
                "all-gather", () -> ranks.allGather(new double[length], all),
                "scatter", () -> ranks.scatter(all, new double[length], n - 1),
                "all-to-all", () -> ranks.allToAll(all, new double[all.length])));
    collectives.forEach(
        (name, collective) -> {
          assertThatThrownBy(collective)
              .isInstanceOf(CommunicationException.class)
              .hasMessageContaining(name)
              .hasMessageContaining("rank " + odd + " has 24")
              .hasMessageContaining("has 16");
          ranks.barrier();
        });
    partCountsThatDiffer(ranks, odd);
  }

  private static void partCountsThatDiffer(Communicator ranks, int odd) {
    int n = ranks.size();
    List<byte[]> parts = Collections.nCopies(ranks.rank() == odd ? n + 1 : n, new byte[1]);
    Consumer<ThrowingCallable> refused =
        collective ->
            assertThatThrownBy(collective)
                .isInstanceOf(CommunicationException.class)
                .hasMessageContaining("rank " + odd + " has " + (n + 1));
    refused.accept(() -> ranks.scatter(parts, odd));
    refused.accept(() -> ranks.allToAll(parts));
    ranks.barrier();
  }

  /** The memory for all parts is at fault, on one rank. */
  private static void memoryTooSmall(Communicator ranks, long seed) {
    int n = ranks.size();
    int odd = new Random(seed).nextInt(n);
    int[] all = new int[2 * n + (ranks.rank() == odd ? 1 : 0)];
    int[] mine = new int[2];
    Consumer<ThrowingCallable> refused =
        collective ->
            assertThatThrownBy(collective)
                .isInstanceOf(CommunicationException.class)
                .hasMessageContaining("rank %d has memory of %d bytes", odd, 4 * (2 * n + 1));
    refused.accept(() -> ranks.gather(mine, all, odd));
    refused.accept(() -> ranks.allGather(mine, all));
    refused.accept(() -> ranks.scatter(all, mine, odd));
    refused.accept(() -> ranks.allToAll(new int[2 * n], all));
    ranks.barrier();
  }
}
