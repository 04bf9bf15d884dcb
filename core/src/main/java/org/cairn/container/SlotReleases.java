// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Arrays;
import org.cairn.version.MapRecord;
import org.cairn.version.SlotRuns;

/** Slots that a commit gives up; they may be used again once it is durable. */
final class SlotReleases {
  private int[] firsts = new int[8];
  private int[] counts = new int[8];
  private int size;

  void add(SlotRuns runs) {
    for (int run = 0; run < runs.runs(); run++) {
      add(runs.first(run), runs.count(run));
    }
  }

  private void add(int first, int count) {
    if (size > 0 && firsts[size - 1] + counts[size - 1] == first) {
      counts[size - 1] += count;
      return;
    }
    if (size == firsts.length) {
      firsts = Arrays.copyOf(firsts, 2 * size);
      counts = Arrays.copyOf(counts, 2 * size);
    }
    firsts[size] = first;
    counts[size++] = count;
  }

  void describe(MapRecord.Visitor out) {
    for (int i = 0; i < size; i++) {
      out.released(firsts[i], counts[i]);
    }
  }

  SlotRuns all() {
    SlotRuns.Builder runs = new SlotRuns.Builder(size);
    for (int i = 0; i < size; i++) {
      runs.add(firsts[i], counts[i]);
    }
    return runs.build();
  }
}
