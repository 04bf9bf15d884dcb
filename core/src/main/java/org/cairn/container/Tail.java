// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Arrays;

/**
 * How long a file stays although less would do: as long as it had to be lately.
 *
 * <p>A program that changes little for some checkpoints and then everything needs the same length
 * again and again. What was cut off in between has to be found on the disk anew, which takes two to
 * three times as long as to write where the file has been before.
 *
 * <p>The file so stays within twice what was live at one time in the last {@value #COMMITS}
 * commits, and a little; when none of them has needed the length, it goes.
 */
final class Tail {
  static final int COMMITS = 32;

  /** What a small file may have beside. */
  static final long SLACK = 4L << 20;

  private final long[] ends = new long[COMMITS];
  private final long[] live = new long[COMMITS];
  private int next;

  /** A commit has needed the file up to its end, with so many bytes live in it. */
  void note(long end, long liveBytes) {
    ends[next] = end;
    live[next] = liveBytes;
    next = (next + 1) % COMMITS;
  }

  /** Nobody wants the file to be longer than it must. */
  void forget() {
    Arrays.fill(ends, 0);
    Arrays.fill(live, 0);
  }

  /** Where to cut a file of which everything behind {@code end} is free. */
  long keep(long end) {
    return Math.max(end, Math.min(greatest(ends), 2 * mostLive() + SLACK));
  }

  /** What was live at one time, at most. */
  long mostLive() {
    return greatest(live);
  }

  private static long greatest(long[] values) {
    return Arrays.stream(values).max().orElse(0);
  }
}
