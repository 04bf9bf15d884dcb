// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;

/** Scenarios of collectives whose parts have different lengths. */
final class CountedScenarios {
  private CountedScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("counted parts", 1, CountedScenarios::countedParts),
        new Scenario("counted parts of every type", 1, CountedScenarios::everyType),
        new Scenario("counted parts, much", 2, CountedScenarios::much),
        new Scenario("counted parts, wrong counts", 2, CountedScenarios::wrongCounts));
  }

  private static int[] counts(int ranks, Random random) {
    return IntStream.range(0, ranks).map(rank -> CollectiveScenarios.length(random)).toArray();
  }

  private static double[] part(double[] all, int[] counts, int rank) {
    int from = Arrays.stream(counts, 0, rank).sum();
    return Arrays.copyOfRange(all, from, from + counts[rank]);
  }

  /** A row of the matrix is what a rank sends to all; a column is what it gets of all. */
  private static void countedParts(Communicator ranks, long seed) {
    Random random = new Random(seed);
    int n = ranks.size();
    int me = ranks.rank();
    for (int root = 0; root < n; root++) {
      int[] counts = counts(n, random);
      double[] all = random.doubles(Arrays.stream(counts).sum()).toArray();
      double[] mine = part(all, counts, me);
      boolean isRoot = me == root;

      double[] gathered = new double[isRoot ? all.length : 0];
      ranks.gather(mine, gathered, isRoot ? counts : new int[0], root);
      assertThat(gathered).isEqualTo(isRoot ? all : new double[0]);

      double[] everywhere = new double[all.length];
      ranks.allGather(mine, everywhere, counts);
      assertThat(everywhere).isEqualTo(all);

      double[] scattered = new double[counts[me]];
      ranks.scatter(isRoot ? all : new double[0], isRoot ? counts : new int[1], scattered, root);
      assertThat(scattered).isEqualTo(mine);
      exchange(ranks, random);
    }
  }

  private static void exchange(Communicator ranks, Random random) {
    int n = ranks.size();
    int me = ranks.rank();
    List<int[]> counts = new ArrayList<>();
    List<double[]> rows = new ArrayList<>();
    for (int rank = 0; rank < n; rank++) {
      counts.add(counts(n, random));
      rows.add(random.doubles(Arrays.stream(counts.get(rank)).sum()).toArray());
    }
    double[] expected =
        IntStream.range(0, n)
            .mapToObj(rank -> part(rows.get(rank), counts.get(rank), me))
            .flatMapToDouble(Arrays::stream)
            .toArray();
    int[] incomingCounts = counts.stream().mapToInt(row -> row[me]).toArray();
    double[] incoming = new double[expected.length];
    ranks.allToAll(rows.get(me), counts.get(me), incoming, incomingCounts);
    assertThat(incoming).isEqualTo(expected);
  }

  /** Rank k gives k elements; rank 0 gives none. */
  private static void everyType(Communicator ranks, long seed) {
    int n = ranks.size();
    int me = ranks.rank();
    int[] counts = IntStream.range(0, n).toArray();
    int[] ints = IntStream.range(0, n).flatMap(k -> IntStream.generate(() -> k).limit(k)).toArray();
    long[] longs = IntStream.of(ints).asLongStream().toArray();
    float[] floats = new float[ints.length];
    for (int i = 0; i < ints.length; i++) {
      floats[i] = ints[i];
    }

    int[] allInts = new int[ints.length];
    int[] myInts = new int[me];
    ranks.scatter(ints, counts, myInts, 0);
    ranks.allGather(myInts, allInts, counts);
    assertThat(allInts).isEqualTo(ints);
    long[] allLongs = new long[longs.length];
    long[] myLongs = new long[me];
    ranks.scatter(longs, counts, myLongs, n - 1);
    ranks.allGather(myLongs, allLongs, counts);
    assertThat(allLongs).isEqualTo(longs);
    float[] allFloats = new float[floats.length];
    float[] myFloats = new float[me];
    ranks.scatter(floats, counts, myFloats, 0);
    ranks.allGather(myFloats, allFloats, counts);
    assertThat(allFloats).isEqualTo(floats);
    ranks.gather(myInts, allInts, counts, 0);
    ranks.gather(myLongs, allLongs, counts, 0);
    ranks.gather(myFloats, allFloats, counts, 0);
    exchangeEveryType(ranks);
    equalFloats(ranks);
  }

  /** One element to each rank, so that counts are the same in both directions. */
  private static void exchangeEveryType(Communicator ranks) {
    int n = ranks.size();
    int[] ones = new int[n];
    Arrays.fill(ones, 1);
    int[] ints = new int[n];
    ranks.allToAll(ones, ones, ints, ones);
    long[] longs = new long[n];
    ranks.allToAll(IntStream.of(ones).asLongStream().toArray(), ones, longs, ones);
    float[] floats = new float[n];
    float[] outgoing = new float[n];
    Arrays.fill(outgoing, 1);
    ranks.allToAll(outgoing, ones, floats, ones);
    assertThat(ints).containsOnly(1);
    assertThat(longs).containsOnly(1);
    assertThat(floats).containsOnly(1);
  }

  private static void equalFloats(Communicator ranks) {
    int n = ranks.size();
    float[] all = new float[n];
    for (int i = 0; i < n; i++) {
      all[i] = i + .5f;
    }
    float[] mine = new float[1];
    ranks.scatter(all, mine, 0);
    assertThat(mine).containsExactly(ranks.rank() + .5f);
    float[] gathered = new float[n];
    ranks.allGather(mine, gathered);
    assertThat(gathered).isEqualTo(all);
    ranks.gather(mine, gathered, n - 1);
    float[] exchanged = new float[n];
    ranks.allToAll(all, exchanged);
    assertThat(exchanged).containsOnly(ranks.rank() + .5f);
  }

  /** Too much to be put together, so that what goes over the end is two messages. */
  private static void much(Communicator ranks, long seed) {
    int n = ranks.size();
    long[] bytes = new long[n];
    Arrays.setAll(bytes, rank -> rank == 1 ? 0 : (3 << 20) / n + rank);
    byte[] expected = new byte[(int) Arrays.stream(bytes).sum()];
    new Random(seed).nextBytes(expected);
    MemorySegment all = MemorySegment.ofArray(new byte[expected.length]);
    long from = Arrays.stream(bytes, 0, ranks.rank()).sum();
    MemorySegment mine = MemorySegment.ofArray(expected).asSlice(from, bytes[ranks.rank()]);
    ranks.allGather(mine, all, bytes);
    assertThat(all.mismatch(MemorySegment.ofArray(expected))).isEqualTo(-1);
  }

  // Mistakes.

  /** One rank has it wrong: all hear the same sentence, and can go on afterwards. */
  private static void wrongCounts(Communicator ranks, long seed) {
    int n = ranks.size();
    int me = ranks.rank();
    int odd = new Random(seed).nextInt(n);
    int next = (odd + 1) % n;
    int[] twos = new int[n];
    Arrays.fill(twos, 2);
    int[] all = new int[2 * n];
    int[] mine = new int[me == odd ? 3 : 2];
    Map<String, ThrowingCallable> mistakes = new LinkedHashMap<>();
    mistakes.put(
        "gather: rank %d gives 12 bytes, but rank %d counts 8 for it".formatted(odd, next),
        () -> ranks.gather(mine, all, twos, next));
    mistakes.put(
        "scatter: rank %d has room for 12 bytes, but rank %d counts 8 for it".formatted(odd, next),
        () -> ranks.scatter(all, twos, mine, next));
    mistakes.put(
        "all-gather: rank 0 expects 8 bytes of rank %d, which gives 12".formatted(odd),
        () -> ranks.allGather(mine, all, twos));
    mistakes.put(
        "gather: rank %d has %d counts for %d ranks".formatted(odd, n + 1, n),
        () -> ranks.gather(new int[2], all, new int[n + 1], odd));
    mistakes.put(
        "scatter: rank %d counts -4 bytes for rank %d".formatted(odd, next),
        () -> ranks.scatter(all, with(twos, next, -1), new int[2], odd));
    mistakes.put(
        "all-gather: rank %d has memory of %d bytes, but counts %d for all ranks together"
            .formatted(odd, 8 * n, 8 * n - 4),
        () -> ranks.allGather(new int[2], all, me == odd ? with(twos, next, 1) : twos));
    mistakes.put(
        "all-to-all: rank %d has memory of %d bytes, too little for the parts of ranks 0 to %d"
            .formatted(odd, 8 * n, n - 1),
        () -> ranks.allToAll(all, me == odd ? with(twos, n - 1, 3) : twos, new int[2 * n], twos));
    mistakes.put(
        "all-to-all: rank %d expects 4 bytes of rank %d, which gives 8".formatted(odd, next),
        () ->
            ranks.allToAll(
                all,
                twos,
                new int[me == odd ? 2 * n - 1 : 2 * n],
                me == odd ? with(twos, next, 1) : twos));
    mistakes.forEach((sentence, mistake) -> assertRefused(ranks, sentence, mistake));
  }

  private static int[] with(int[] counts, int index, int count) {
    int[] changed = counts.clone();
    changed[index] = count;
    return changed;
  }

  private static void assertRefused(Communicator ranks, String sentence, ThrowingCallable mistake) {
    Throwable failure = catchThrowable(mistake);
    assertThat(failure).isInstanceOf(CommunicationException.class).hasMessage(sentence);
    byte[] mine = String.valueOf(failure).getBytes(StandardCharsets.UTF_8);
    assertThat(ranks.allGather(mine))
        .as("the same on all ranks")
        .allMatch(other -> Arrays.equals(other, mine));
  }
}
