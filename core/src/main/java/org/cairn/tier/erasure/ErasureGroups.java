// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which ranks keep parity for each other. Computed from the failure domains alone, so all ranks
 * come to the same groups without talking.
 *
 * @param groups the ranks of each group, ascending
 * @param parity how many ranks of a group may be lost
 * @param warnings the domains whose loss a group cannot bear
 */
public record ErasureGroups(List<List<Integer>> groups, int parity, List<String> warnings) {
  /**
   * Groups of at most {@code size} ranks, or of three where two are too few for an odd number of
   * ranks, all of nearly the same size, in which the ranks of a domain are as few as they can be.
   *
   * @param domains of each rank
   * @param parity how many ranks of a group may be lost
   * @throws IllegalArgumentException if the groups would be too small for that
   */
  public static ErasureGroups adapted(List<String> domains, int size, int parity) {
    if (size < 2 || size > 256 || parity < 1) {
      throw new IllegalArgumentException(
          "a group of %d ranks with %d of parity; groups have 2 to 256 ranks, parity at least 1"
              .formatted(size, parity));
    }
    int count = groupCount(domains.size(), size);
    if (domains.size() / count <= parity) {
      throw new IllegalArgumentException(
          "%d ranks make groups of %d; to bear the loss of %d, a group needs at least %d"
              .formatted(domains.size(), domains.size() / count, parity, parity + 1));
    }
    List<List<Integer>> groups = deal(domains, count);
    return new ErasureGroups(groups, parity, warnings(groups, domains, parity));
  }

  /** How many ranks the smallest group has, if so many are dealt out to groups of this size. */
  public static int smallest(int ranks, int size) {
    return ranks / groupCount(ranks, size);
  }

  /** A rank alone in its group could lose nothing: then there are fewer groups, and larger ones. */
  private static int groupCount(int ranks, int size) {
    int count = Math.max(1, Math.ceilDiv(ranks, size));
    return ranks / count < 2 ? Math.max(1, ranks / 2) : count;
  }

  /**
   * Deals out domain after domain: so the {@code c} ranks of a domain end up in {@code c} different
   * groups if there are so many, and a group never gets more than its share.
   */
  private static List<List<Integer>> deal(List<String> domains, int count) {
    Map<String, Integer> order = new HashMap<>();
    domains.forEach(domain -> order.putIfAbsent(domain, order.size()));
    List<Integer> byDomain =
        IntStream.range(0, domains.size())
            .boxed()
            .sorted(Comparator.comparing(rank -> order.get(domains.get(rank))))
            .toList();
    List<List<Integer>> groups =
        Stream.<List<Integer>>generate(ArrayList::new).limit(count).toList();
    for (int i = 0; i < byDomain.size(); i++) {
      groups.get(i % count).add(byDomain.get(i));
    }
    return groups.stream().map(group -> group.stream().sorted().toList()).toList();
  }

  private static List<String> warnings(
      List<List<Integer>> groups, List<String> domains, int parity) {
    List<String> warnings = new ArrayList<>();
    for (List<Integer> group : groups) {
      group.stream()
          .map(domains::get)
          .distinct()
          .forEach(domain -> warnIfTooMany(domain, group, domains, parity, warnings));
    }
    return List.copyOf(warnings);
  }

  private static void warnIfTooMany(
      String domain, List<Integer> group, List<String> domains, int parity, List<String> warnings) {
    List<Integer> together =
        group.stream().filter(rank -> domains.get(rank).equals(domain)).toList();
    if (together.size() > parity) {
      warnings.add(
          "%s has ranks %s of one group, which bears the loss of %d: losing %s loses them all"
              .formatted(domain, together, parity, domain));
    }
  }

  /** The number of the group that a rank is in. */
  public int groupOf(int rank) {
    for (int group = 0; group < groups.size(); group++) {
      if (groups.get(group).contains(rank)) {
        return group;
      }
    }
    throw new IllegalArgumentException("rank " + rank + " is in no group");
  }
}
