// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.Compression;
import org.cairn.TierKind;

/**
 * The tiers of a job, and how many of its ranks each of them can do without.
 *
 * @param options for the command line of Heat2D
 */
record Protection(List<String> options, Map<TierKind, Integer> bears) {

  static Protection none() {
    return new Protection(List.of(), new TreeMap<>());
  }

  Protection partner(int every) {
    return with(TierKind.PARTNER, 1, "--partner", String.valueOf(every));
  }

  Protection erasure(int every, int ranks) {
    return with(TierKind.ERASURE, ranks < 4 ? 1 : 2, "--erasure", String.valueOf(every));
  }

  Protection shared(Path directory, int every, int ranks) {
    return with(TierKind.SHARED, ranks, "--shared", directory + "," + every);
  }

  Protection compressed(Compression how) {
    return new Protection(joined(options, "--compression", how.toString()), bears);
  }

  Protection asynchronous(boolean yes) {
    return yes ? new Protection(joined(options, "--async"), bears) : this;
  }

  private Protection with(TierKind kind, int lost, String... more) {
    Map<TierKind, Integer> all = new TreeMap<>(bears);
    all.put(kind, lost);
    return new Protection(joined(options, more), all);
  }

  private static List<String> joined(List<String> some, String... more) {
    List<String> all = new ArrayList<>(some);
    all.addAll(List.of(more));
    return all;
  }
}
