// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.partner;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Who keeps a copy for whom: rank {@code r} gives its copy to rank {@code r + distance}.
 *
 * @param distance how far the partner is
 * @param together the ranks that share a failure domain with their partner
 */
public record Partners(int size, int distance, List<Integer> together) {
  /** The least distance for which the fewest ranks share a domain with their partner. */
  public static Partners nearest(List<String> domains) {
    Partners best = at(1, domains);
    int fewest = fewest(domains);
    // Thousands of ranks of one host must not try thousands of distances.
    for (int distance = 2; distance < domains.size() && best.together.size() > fewest; distance++) {
      Partners other = at(distance, domains);
      best = other.together.size() < best.together.size() ? other : best;
    }
    return best;
  }

  /** However far partners are: the ranks of a domain that are too many for all others together. */
  private static int fewest(List<String> domains) {
    Map<String, Integer> counts = new HashMap<>();
    domains.forEach(domain -> counts.merge(domain, 1, Integer::sum));
    return Math.max(0, 2 * Collections.max(counts.values()) - domains.size());
  }

  /** Partners at a distance of the user's choice. */
  public static Partners at(int distance, List<String> domains) {
    int size = domains.size();
    if (size < 2) {
      throw new IllegalArgumentException("a partner needs at least 2 ranks; there is " + size);
    }
    if (distance < 1 || distance >= size) {
      throw new IllegalArgumentException(
          "a partner at distance %d does not exist among %d ranks".formatted(distance, size));
    }
    List<Integer> together = new ArrayList<>();
    IntStream.range(0, size)
        .filter(rank -> domains.get(rank).equals(domains.get((rank + distance) % size)))
        .forEach(together::add);
    return new Partners(size, distance, List.copyOf(together));
  }

  /** The rank that keeps the copy of {@code owner}. */
  public int holderOf(int owner) {
    return (owner + distance) % size;
  }

  /** The rank whose copy {@code holder} keeps. */
  public int ownerAt(int holder) {
    return Math.floorMod(holder - distance, size);
  }
}
