// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.HashMap;
import java.util.Map;

/**
 * Blocks of a rank that are not where they were, by the names of their datasets.
 *
 * @param blocks none of the sets is empty
 */
record Changes(Map<String, BlockSet> blocks) {
  static final Changes NONE = new Changes(Map.of());

  /** Copies the map. */
  Changes {
    blocks = Map.copyOf(blocks);
  }

  BlockSet of(String dataset) {
    return blocks.getOrDefault(dataset, BlockSet.EMPTY);
  }

  Changes union(Changes other) {
    if (blocks.isEmpty()) {
      return other;
    }
    Map<String, BlockSet> all = new HashMap<>(blocks);
    other.blocks.forEach((name, set) -> all.merge(name, set, BlockSet::union));
    return new Changes(all);
  }

  /** How many blocks these are. */
  long count() {
    return blocks.values().stream().mapToLong(BlockSet::count).sum();
  }

  /** Collects blocks. For one thread. */
  static final class Builder {
    private final Map<String, BlockSet.Builder> sets = new HashMap<>();

    void add(String dataset, int block) {
      add(dataset, block, block + 1);
    }

    void add(String dataset, int first, int end) {
      sets.computeIfAbsent(dataset, _ -> new BlockSet.Builder()).add(first, end);
    }

    Changes build() {
      Map<String, BlockSet> built = new HashMap<>();
      sets.forEach((name, set) -> built.put(name, set.build()));
      return new Changes(built);
    }
  }
}
