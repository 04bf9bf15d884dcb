// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of what is clean a commit may write anew, to empty regions of the file.
 *
 * <p>The program waits for it, so it is a part of what had changed anyway: at most {@value #PART}
 * of that and {@value #LITTLE} bytes in one commit, a whole map that is due now and then included,
 * and at most {@value #PART_LATELY} of it in the last {@link History#COMMITS}. Only where the file
 * would become too long there is no limit but the number of regions that are chosen. Where nothing
 * had changed nothing is moved.
 *
 * <p>Safe for use by many threads: what has changed becomes known while blocks are looked at.
 */
final class MoveQuota {
  /** With the records of the map, which are a third of a percent, it stays below three tenths. */
  private static final double PART = 0.29;

  private static final long LITTLE = 1L << 20;
  private static final double PART_LATELY = 0.45;

  private final boolean limited;
  private final double saved;
  private final long little;
  private final AtomicLong changed = new AtomicLong();
  private final AtomicLong moved = new AtomicLong();

  private MoveQuota(boolean limited, double saved, long besides) {
    this.limited = limited;
    this.saved = saved;
    this.little = LITTLE - besides;
  }

  /** Bytes were found changed. */
  void changed(long bytes) {
    changed.addAndGet(bytes);
  }

  /** So many bytes have changed, as is known now. */
  void changedAtLeast(long bytes) {
    changed.accumulateAndGet(bytes, Math::max);
  }

  /** Whether anything may be moved at the moment. */
  boolean isOpen() {
    return moved.get() < limit();
  }

  /** Whether anything might be moved if only something were known to have changed. */
  boolean waitsForChange() {
    return !limited && changed.get() == 0;
  }

  /** Takes a part of the quota, if there is as much. */
  boolean take(long bytes) {
    long before = moved.get();
    while (before + bytes <= limit()) {
      long found = moved.compareAndExchange(before, before + bytes);
      if (found == before) {
        return true;
      }
      before = found;
    }
    return false;
  }

  private long limit() {
    long bytes = changed.get();
    if (bytes == 0) {
      return 0;
    }
    return limited
        ? (long) Math.min(PART * bytes + little, PART_LATELY * bytes + saved)
        : Long.MAX_VALUE;
  }

  /** What the last commits have written. For one thread at a time. */
  static final class History {
    private static final int COMMITS = 32;

    private final long[] changed = new long[COMMITS - 1];
    private final long[] moved = new long[COMMITS - 1];
    private MoveQuota last = new MoveQuota(true, 0, 0);
    private int next;

    /**
     * The commit of the last quota has written so much because it changed. What a full checkpoint
     * wrote of clean blocks besides does not count: it took nothing of the quota.
     */
    void note(long changedBytes) {
      changed[next] = changedBytes;
      moved[next] = last.moved.get();
      next = (next + 1) % changed.length;
    }

    /** How much a commit writes because it changed, of those lately where anything had. */
    long usualChange() {
      return (long) Arrays.stream(changed).filter(bytes -> bytes > 0).average().orElse(0);
    }

    /**
     * The quota of the next commit.
     *
     * @param limited false if the file is too long already
     * @param besides what it writes anyway, however little has changed
     */
    MoveQuota next(boolean limited, long besides) {
      double saved = PART_LATELY * Arrays.stream(changed).sum() - Arrays.stream(moved).sum();
      last = new MoveQuota(limited, saved, besides);
      return last;
    }
  }
}
