// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.hash;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.cairn.HashAlgorithm;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.HashPath;
import org.cairn.hash.Hashers;
import org.cairn.hash.WeakHash;
import org.cairn.plan.hash.Rate;

/**
 * How fast blocks are hashed, compared with how fast plain Java can read the same memory.
 *
 * <p>512 MiB in 8 datasets, off-heap and as {@code double[]}, in blocks of 16 KiB. Every subject is
 * measured in turn, round after round, so that noise of the machine hits all alike; what counts is
 * the ratio of medians to {@code sum}, the best plain sum. Two ratios are given: of the rates by
 * the clock, and of those by processor time, which other processes on the machine disturb less.
 *
 * <p>Arguments: threads (1,2), rounds (15), comma-separated algorithms (all).
 */
public final class HashBandwidth {

  private static final int DATASETS = 8;
  private static final int DATASET_BYTES = 64 << 20;
  private static final int BLOCK = 16 << 10;
  private static final int BLOCKS = DATASET_BYTES / BLOCK;

  private static volatile double sink;

  private HashBandwidth() {}

  /** Something that reads one dataset. */
  @FunctionalInterface
  private interface Subject {
    void run(int dataset);
  }

  public static void main(String[] args) throws InterruptedException {
    int[] threads =
        Arrays.stream((args.length > 0 ? args[0] : "1,2").split(",", -1))
            .mapToInt(Integer::parseInt)
            .toArray();
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 15;
    List<HashAlgorithm> algorithms =
        args.length > 2
            ? Arrays.stream(args[2].split(",", -1)).map(WeakHash::parseAny).toList()
            : WeakHash.withStrong();
    System.out.println("XXH3 path: " + HashPath.current());
    try (Arena arena = Arena.ofShared()) {
      Map<String, Map<String, Subject>> kinds = new LinkedHashMap<>();
      kinds.put("off-heap", offHeap(arena, algorithms));
      kinds.put("double[]", heap(algorithms));
      for (int count : threads) {
        for (Map.Entry<String, Map<String, Subject>> kind : kinds.entrySet()) {
          measure(kind.getKey(), count, rounds, kind.getValue());
        }
      }
    }
  }

  private static Map<String, Subject> offHeap(Arena arena, List<HashAlgorithm> algorithms) {
    MemorySegment[] data = new MemorySegment[DATASETS];
    MemorySegment copy = arena.allocate((long) DATASET_BYTES * DATASETS, 64);
    for (int i = 0; i < DATASETS; i++) {
      data[i] = arena.allocate(DATASET_BYTES, 64);
      fill(data[i], i);
    }
    Map<String, Subject> subjects = new LinkedHashMap<>();
    subjects.put("sum", i -> sink = sum(data[i]));
    subjects.put(
        "copy", i -> MemorySegment.copy(data[i], 0, copy, (long) i * DATASET_BYTES, DATASET_BYTES));
    addHashers(subjects, data, algorithms);
    return subjects;
  }

  private static Map<String, Subject> heap(List<HashAlgorithm> algorithms) {
    double[][] arrays = new double[DATASETS][DATASET_BYTES / Double.BYTES];
    double[][] copies = new double[DATASETS][DATASET_BYTES / Double.BYTES];
    MemorySegment[] data = new MemorySegment[DATASETS];
    for (int i = 0; i < DATASETS; i++) {
      data[i] = MemorySegment.ofArray(arrays[i]);
      fill(data[i], i);
    }
    Map<String, Subject> subjects = new LinkedHashMap<>();
    subjects.put("sum", i -> sink = sum(arrays[i]));
    subjects.put("copy", i -> System.arraycopy(arrays[i], 0, copies[i], 0, arrays[i].length));
    addHashers(subjects, data, algorithms);
    return subjects;
  }

  private static void addHashers(
      Map<String, Subject> subjects, MemorySegment[] data, List<HashAlgorithm> algorithms) {
    long[][] digests = new long[DATASETS][2 * BLOCKS];
    for (HashAlgorithm algorithm : algorithms) {
      BlockHasher hasher = Hashers.of(algorithm);
      subjects.put(
          algorithm.label(), i -> hasher.hash(data[i], 0, DATASET_BYTES, BLOCK, digests[i], 0));
    }
  }

  /** Doubles that look like a simulation's: smooth with a little noise, no two datasets alike. */
  private static void fill(MemorySegment data, int seed) {
    Random random = new Random(seed);
    for (long i = 0; i < data.byteSize() / Double.BYTES; i++) {
      double value = Math.fma(0.01, random.nextDouble(), (double) (i & 4095));
      data.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
    }
  }

  private static double sum(MemorySegment data) {
    long total = 0;
    for (long from = 0; from < data.byteSize(); from += BLOCK) {
      total += sumOfBlock(data, from);
    }
    return total;
  }

  /** A sum of longs, not doubles: C2 may reorder it and so uses vectors. */
  private static long sumOfBlock(MemorySegment data, long from) {
    long total = 0;
    for (int i = 0; i < BLOCK; i += Long.BYTES) {
      total += data.get(ValueLayout.JAVA_LONG_UNALIGNED, from + i);
    }
    return total;
  }

  private static double sum(double[] data) {
    double total = 0;
    for (int from = 0; from < data.length; from += BLOCK / Double.BYTES) {
      total += sumOfBlock(data, from);
    }
    return total;
  }

  private static double sumOfBlock(double[] data, int from) {
    double a = 0;
    double b = 0;
    double c = 0;
    double d = 0;
    double e = 0;
    double f = 0;
    double g = 0;
    double h = 0;
    for (int i = from; i < from + BLOCK / Double.BYTES; i += 8) {
      a += data[i];
      b += data[i + 1];
      c += data[i + 2];
      d += data[i + 3];
      e += data[i + 4];
      f += data[i + 5];
      g += data[i + 6];
      h += data[i + 7];
    }
    return a + b + c + d + e + f + g + h;
  }

  private static void measure(String kind, int threads, int rounds, Map<String, Subject> subjects)
      throws InterruptedException {
    Map<String, List<Rate>> rates = new LinkedHashMap<>();
    for (int round = -3; round < rounds; round++) {
      for (Map.Entry<String, Subject> subject : subjects.entrySet()) {
        Rate rate = rate(subject.getValue(), threads);
        if (round >= 0) {
          rates.computeIfAbsent(subject.getKey(), _ -> new ArrayList<>()).add(rate);
        }
      }
    }
    print(kind, threads, rates);
  }

  /** One pass over all datasets, each thread taking every {@code threads}-th one. */
  private static Rate rate(Subject subject, int threads) throws InterruptedException {
    return Rate.of(
        (long) DATASETS * DATASET_BYTES,
        threads,
        (first, step) -> {
          for (int dataset = first; dataset < DATASETS; dataset += step) {
            subject.run(dataset);
          }
        });
  }

  private static void print(String kind, int threads, Map<String, List<Rate>> rates) {
    System.out.printf("%n%s, %d thread(s), GB/s%n", kind, threads);
    System.out.printf(
        "  %-24s %8s %8s %8s %8s %8s%n", "", "median", "best", "of sum", "cpu", "of sum");
    Rate sum = Rate.median(rates.get("sum"));
    rates.forEach(
        (name, all) -> {
          Rate median = Rate.median(all);
          System.out.printf(
              Locale.ROOT,
              "  %-24s %8.2f %8.2f %7.0f%% %8.2f %7.0f%%%n",
              name,
              median.byClock() / 1e9,
              all.stream().mapToDouble(Rate::byClock).max().orElseThrow() / 1e9,
              100 * median.byClock() / sum.byClock(),
              median.byProcessor() / 1e9,
              100 * median.byProcessor() / sum.byProcessor());
        });
  }
}
