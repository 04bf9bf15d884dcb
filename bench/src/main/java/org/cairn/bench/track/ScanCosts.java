// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.track;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.HashAlgorithm;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.track.UnwatchableException;
import org.cairn.track.UserfaultWatch;
import org.cairn.work.Workers;

/**
 * The parts: what first writes to watched pages cost, what it takes to scan and protect them again,
 * and to hash the blocks they are in, against hashing everything with as many threads.
 */
public final class ScanCosts {
  private static final int BLOCK = 16 << 10;

  /** Hashed by a thread at a time. */
  private static final int SOME_BLOCKS = 16;

  private final MemorySegment memory;
  private final Workers crew;
  private final int rounds;

  /** Over memory that begins with a page. */
  public ScanCosts(MemorySegment memory, Workers crew, int rounds) {
    this.memory = memory;
    this.crew = crew;
    this.rounds = rounds;
  }

  /**
   * Medians in seconds.
   *
   * @param plainWrites what the program writes, unwatched
   * @param watchedWrites the same, watched
   */
  public record Result(
      Pattern pattern,
      double plainWrites,
      double watchedWrites,
      int writtenPages,
      double scan,
      double hashTouched,
      double hashAll) {

    /** Looking, against looking at everything. */
    public double share() {
      return (scan + hashTouched) / hashAll;
    }

    /** Scanning alone, against looking at everything. */
    public double scanShare() {
      return scan / hashAll;
    }

    /** What a first write costs more than others, in microseconds. */
    public double firstWriteMicros() {
      return writtenPages == 0 ? 0 : (watchedWrites - plainWrites) * 1e6 / writtenPages;
    }
  }

  /** Measures a pattern. */
  public Result measure(Pattern pattern) throws UnwatchableException {
    double[] plain = new double[rounds];
    double[] watched = new double[rounds];
    double[] scan = new double[rounds];
    double[] touched = new double[rounds];
    double[] all = new double[rounds];
    BitSet everything = new BitSet();
    everything.set(0, Math.toIntExact(memory.byteSize() / BLOCK));
    int pages = 0;
    try (UserfaultWatch watch = UserfaultWatch.open()) {
      long from = memory.address();
      long to = from + memory.byteSize();
      for (int round = -2; round < rounds; round++) {
        BitSet written = pattern.pages(memory.byteSize(), round);
        pages = written.cardinality();
        int i = Math.max(0, round);
        int number = round;
        plain[i] = seconds(() -> pattern.write(memory, written, number));
        watch.watch(from, to);
        watch.scan(from, to, (first, end) -> {});
        watched[i] = seconds(() -> pattern.write(memory, written, number));
        scan[i] = seconds(() -> scan(watch, from, to));
        touched[i] = seconds(() -> hash(Pattern.blocks(written, BLOCK)));
        all[i] = seconds(() -> hash(everything));
        watch.unwatch(from, to);
      }
    }
    return new Result(
        pattern, median(plain), median(watched), pages, median(scan), median(touched), median(all));
  }

  private static void scan(UserfaultWatch watch, long from, long to) {
    try {
      watch.scan(from, to, (first, end) -> {});
    } catch (UnwatchableException e) {
      throw new IllegalStateException(e);
    }
  }

  private void hash(BitSet blocks) {
    if (blocks.isEmpty()) {
      return;
    }
    int[] chosen = blocks.stream().toArray();
    AtomicInteger next = new AtomicInteger();
    BlockHasher hasher = Hashers.of(HashAlgorithm.XXH3_128);
    try {
      crew.run(
          _ -> {
            long[] digests = new long[2 * SOME_BLOCKS];
            for (int first = next.getAndAdd(SOME_BLOCKS);
                first < chosen.length;
                first = next.getAndAdd(SOME_BLOCKS)) {
              hashSome(hasher, chosen, first, digests);
            }
          });
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void hashSome(BlockHasher hasher, int[] chosen, int first, long[] digests) {
    int end = Math.min(first + SOME_BLOCKS, chosen.length);
    int begin = first;
    while (begin < end) {
      int stop = begin + 1;
      while (stop < end && chosen[stop] == chosen[stop - 1] + 1) {
        stop++;
      }
      hasher.hash(
          memory, (long) chosen[begin] * BLOCK, (long) (stop - begin) * BLOCK, BLOCK, digests, 0);
      begin = stop;
    }
  }

  static double seconds(Runnable work) {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) * 1e-9;
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
