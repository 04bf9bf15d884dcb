// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.VersionId;

/**
 * What was found to contradict itself: one owner and version with two root digests is damage, and
 * neither is believed.
 *
 * @param told in words
 * @param bad what is to be done without
 */
record Contradictions(List<String> told, List<FragmentTable.Bad> bad) {
  /** A version of a rank. */
  private record Key(int owner, VersionId version) {
    static Key of(Found one, Fragment.Held held) {
      return new Key(one.fragment().owner(), held.id());
    }
  }

  /** Compares all digests. */
  static Contradictions in(List<Found> found) {
    Map<Key, Fragment.Held> first = new HashMap<>();
    Set<Key> doubtful = new HashSet<>();
    List<String> told = new ArrayList<>();
    forEachDigest(
        found,
        (one, held) -> {
          Key key = Key.of(one, held);
          Fragment.Held before = first.putIfAbsent(key, held);
          if (before != null && !sameDigest(before, held) && doubtful.add(key)) {
            told.add(
                "version %s of rank %d is there with two root digests, %s and %s"
                    .formatted(held.id().exact(), key.owner, digest(before), digest(held)));
          }
        });
    return new Contradictions(told, doubtful.isEmpty() ? List.of() : bad(found, doubtful));
  }

  private static List<FragmentTable.Bad> bad(List<Found> found, Set<Key> doubtful) {
    List<FragmentTable.Bad> bad = new ArrayList<>();
    forEachDigest(
        found,
        (one, held) -> {
          if (doubtful.contains(Key.of(one, held))) {
            bad.add(
                new FragmentTable.Bad(
                    one.holder(),
                    one.fragment().directory(),
                    one.fragment().file(),
                    held.id(),
                    "another root digest than elsewhere: " + digest(held)));
          }
        });
    return bad;
  }

  private static void forEachDigest(List<Found> found, BiConsumer<Found, Fragment.Held> action) {
    for (Found one : found) {
      for (Fragment.Held held : one.fragment().versions()) {
        if (hasDigest(one, held)) {
          action.accept(one, held);
        }
      }
    }
  }

  /** Parity has digests of its own, and not every tier tells that of the state. */
  private static boolean hasDigest(Found one, Fragment.Held held) {
    return one.fragment().group() == null && (held.digestLow() != 0 || held.digestHigh() != 0);
  }

  private static boolean sameDigest(Fragment.Held one, Fragment.Held other) {
    return one.digestLow() == other.digestLow() && one.digestHigh() == other.digestHigh();
  }

  private static String digest(Fragment.Held held) {
    return "%016x%016x".formatted(held.digestHigh(), held.digestLow());
  }
}
