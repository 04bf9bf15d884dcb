// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.cairn.supply.Supply;
import org.cairn.supply.WarmUp;
import org.jspecify.annotations.Nullable;

/**
 * Keeps vector kernels out of the way until they are compiled.
 *
 * <p>The Vector API is slow as long as it is interpreted, some hundred times slower than compiled,
 * and a restart transforms in its first second more than it ever will again. So the plain twins
 * work first. Once they have seen enough bytes for the difference to matter, a thread of low
 * priority runs the vector kernels on memory of its own until they have become fast; from then on
 * they are used. Both give the same bytes, so nobody notices when. Where they do not become fast
 * the plain ones go on until much more was transformed: other programs may have had the cores that
 * the compiler needs.
 */
final class Warmup {
  /** Who transforms less than this will not gain by vectors. */
  private static final long WORTHWHILE_BYTES = 8L << 20;

  private static final long BYTES_UNTIL_AGAIN = 4L << 30;

  private static final int GROUPS = 256;
  private static final int WORDS = 8 * GROUPS;
  private static final int RECORDS = 512;

  /** The bytes of all kernels' work on a sample. */
  private static final int SAMPLE_BYTES =
      13 * WORDS * (Long.BYTES + Integer.BYTES) + 2 * WORDS * Short.BYTES;

  private static final WarmUp.Goal FAST =
      new WarmUp.Goal(SAMPLE_BYTES, 1.5, 100, 500, Duration.ofMinutes(2));

  private static final int COLD = 0;
  private static final int WARMING = 1;
  private static final int WARM = 2;

  private final LongKernel longs;
  private final IntKernel ints;
  private final VectorPairs pairs;
  private final @Nullable VectorRecords records;
  private final LongAdder transformed = new LongAdder();
  private final AtomicInteger state = new AtomicInteger(COLD);

  Warmup(LongKernel longs, IntKernel ints, VectorPairs pairs, @Nullable VectorRecords records) {
    this.longs = longs;
    this.ints = ints;
    this.pairs = pairs;
    this.records = records;
  }

  boolean isWarm() {
    return state.get() == WARM;
  }

  boolean isWarming() {
    return state.get() == WARMING;
  }

  /** Takes note that so many bytes are about to be transformed. */
  void count(long bytes) {
    if (state.get() != COLD || !WarmUp.isPossible()) {
      return;
    }
    transformed.add(bytes);
    if (transformed.sum() >= WORTHWHILE_BYTES && state.compareAndSet(COLD, WARMING)) {
      start();
    }
  }

  private void start() {
    if (!WarmUp.start(this::warm, "cairn-transform-warmup")) {
      state.set(COLD); // slower until there are threads again
    }
  }

  private void warm() {
    Sample sample = new Sample();
    if (WarmUp.run(() -> sample.run(longs, ints, pairs, records), FAST)) {
      state.set(WARM);
    } else {
      transformed.reset();
      transformed.add(WORTHWHILE_BYTES - BYTES_UNTIL_AGAIN);
      state.set(COLD);
    }
  }

  /** Memory for all that kernels do. */
  private static final class Sample {
    private final MemorySegment memory = Supply.autoArena().allocate(WORDS * 8L, 64);
    private final long[] rows = new long[8 * Rows.ROW_OF_LONGS + 1];
    private final long[] words = new long[2 * WORDS];
    private final long[] moreWords = new long[2 * WORDS];
    private final int[] smallWords = new int[2 * WORDS];
    private final int[] moreSmallWords = new int[2 * WORDS];
    private final byte[] low = new byte[WORDS];
    private final byte[] high = new byte[WORDS];
    private final short[] elements = new short[WORDS];
    private final byte[] records = new byte[24 * RECORDS];

    void run(LongKernel longs, IntKernel ints, VectorPairs pairs, @Nullable VectorRecords records) {
      longs.shuffle(words, GROUPS, rows);
      longs.shuffle(words, GROUPS - 1, rows); // what is left over has another way
      longs.unshuffle(rows, GROUPS, words);
      longs.shuffle(memory, 0, GROUPS, words, rows);
      longs.order(memory, 0, false, words, 0, WORDS);
      longs.subtract(words, WORDS, 0, moreWords, 0, WORDS);
      longs.residuals(words, WORDS, 0, moreWords, 0, WORDS);
      longs.residuals(words, WORDS, 2, 1, 0, moreWords, 0, WORDS);
      longs.add(words, 0, moreWords, WORDS, 0, WORDS);
      longs.addUnordered(words, 0, moreWords, WORDS, 0, words, 0, WORDS);
      if (longs.reachesRows(memory, WORDS)) {
        longs.unshuffle(memory, 0, WORDS, WORDS, words);
        longs.unshuffleToSums(memory, 0, WORDS, WORDS, 0, words);
        longs.sums(memory, 0, WORDS, 0, words);
      }
      ints.shuffle(smallWords, GROUPS, rows);
      ints.shuffle(smallWords, GROUPS - 1, rows);
      ints.unshuffle(rows, GROUPS, smallWords);
      ints.shuffle(memory, 0, GROUPS, smallWords, rows);
      ints.order(memory, 0, false, smallWords, 0, WORDS);
      ints.subtract(smallWords, WORDS, 0, moreSmallWords, 0, WORDS);
      ints.residuals(smallWords, WORDS, 0, moreSmallWords, 0, WORDS);
      ints.residuals(smallWords, WORDS, 2, 1, 0, moreSmallWords, 0, WORDS);
      ints.add(smallWords, 0, moreSmallWords, WORDS, 0, WORDS);
      ints.addUnordered(smallWords, 0, moreSmallWords, WORDS, 0, smallWords, 0, WORDS);
      if (ints.reachesRows(memory, WORDS)) {
        ints.unshuffle(memory, 0, WORDS, WORDS, smallWords);
        ints.unshuffleToSums(memory, 0, WORDS, WORDS, 0, smallWords);
        ints.sums(memory, 0, WORDS, 0, smallWords);
      }
      if (pairs.reaches(memory)) {
        pairs.shuffle(memory, 0, WORDS, low, high);
        pairs.unshuffle(memory, 0, WORDS, WORDS, elements);
      }
      if (records != null && records.reaches(memory)) {
        run(records);
      }
    }

    /** Records of whole words, others, and large ones. */
    private void run(VectorRecords vectors) {
      int row = RECORDS / 8 + 1;
      vectors.shuffle(memory, 0, 24, RECORDS, words, moreWords, rows, row);
      vectors.unshuffle(memory, 0, RECORDS, 24, RECORDS, words, records);
      vectors.shuffle(memory, 0, 20, RECORDS, words, moreWords, rows, row);
      vectors.unshuffle(rows, row, 20, RECORDS, words, moreWords, records);
      vectors.shuffle(memory, 0, 21, RECORDS, words, moreWords, rows, row);
      vectors.unshuffle(rows, row, 21, RECORDS, words, moreWords, records);
      int n = RECORDS / 4;
      vectors.shuffleColumns(memory, 0, 64, n, words, rows, n / 8 + 1);
      vectors.unshuffleColumns(memory, 0, n, 64, n, words, records, 0);
    }
  }
}
