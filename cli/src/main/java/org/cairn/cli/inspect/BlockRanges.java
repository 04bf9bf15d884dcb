// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.util.ArrayList;
import java.util.List;

/** Numbers of blocks, in growing order, as ranges: {@code 0-3, 7, 9-12}. */
final class BlockRanges {
  private final List<long[]> ranges = new ArrayList<>();
  private long count;

  void add(long block) {
    add(block, block);
  }

  /** Adds blocks, in one step however many they are. */
  void add(long first, long last) {
    count += last - first + 1;
    if (!ranges.isEmpty() && ranges.getLast()[1] == first - 1) {
      ranges.getLast()[1] = last;
    } else {
      ranges.add(new long[] {first, last});
    }
  }

  /** How many blocks there are. */
  long count() {
    return count;
  }

  /** First and last block of each range. */
  List<long[]> ranges() {
    return ranges;
  }

  /** The first ranges, and how many more there are. */
  String text(int most) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Math.min(most, ranges.size()); i++) {
      long[] range = ranges.get(i);
      text.append(i == 0 ? "" : ", ").append(range[0]);
      if (range[1] > range[0]) {
        text.append('-').append(range[1]);
      }
    }
    if (ranges.size() > most) {
      text.append(", ... (").append(ranges.size() - most).append(" more)");
    }
    return text.toString();
  }
}
