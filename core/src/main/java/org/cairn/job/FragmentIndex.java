// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.VersionId;

/**
 * What was found, by owner and version: whoever asks looks at no more than there is of that
 * version, however many ranks there are.
 */
final class FragmentIndex {
  /** A version of a rank. */
  private record Key(int rank, VersionId version) {}

  private final Map<Key, List<Found>> holding = new HashMap<>();
  private final Map<Key, List<Found>> helping = new HashMap<>();
  private final Map<Integer, List<Found>> byOwner = new HashMap<>();
  private final Map<Integer, List<Found>> byHolder = new HashMap<>();

  FragmentIndex(List<Found> found) {
    found.forEach(this::add);
  }

  private void add(Found one) {
    Fragment fragment = one.fragment();
    add(byOwner, fragment.owner(), one);
    add(byHolder, one.holder(), one);
    for (Fragment.Held held : fragment.versions()) {
      add(holding, new Key(fragment.owner(), held.id()), one);
      Fragment.Group group = fragment.group();
      if (group != null) {
        group.members().forEach(member -> add(helping, new Key(member, held.id()), one));
      }
    }
  }

  private static <K> void add(Map<K, List<Found>> index, K key, Found one) {
    index.computeIfAbsent(key, _ -> new ArrayList<>(1)).add(one);
  }

  private static <K> List<Found> get(Map<K, List<Found>> index, K key) {
    return index.getOrDefault(key, List.of());
  }

  /** What holds a version of a rank. */
  List<Found> holding(int owner, VersionId version) {
    return get(holding, new Key(owner, version));
  }

  /** What helps a group of ranks to a version, by each of them. */
  List<Found> helping(int member, VersionId version) {
    return get(helping, new Key(member, version));
  }

  /** What is of a rank, wherever it is. */
  List<Found> ownedBy(int rank) {
    return get(byOwner, rank);
  }

  /** What a rank has found. */
  List<Found> heldBy(int rank) {
    return get(byHolder, rank);
  }
}
