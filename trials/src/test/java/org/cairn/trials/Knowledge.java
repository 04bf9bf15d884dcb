// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.TierKind;
import org.cairn.tier.TierTypes;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * What the ranks have promised so far: the newest version that all of them have, in their
 * containers and at each tier. A promise of one rank is a promise of all. From it follows what a
 * restart may at worst come back with.
 */
final class Knowledge {
  private final int ranks;
  private final Map<TierKind, Integer> bears;
  private final Map<TierKind, VersionId> newest = new TreeMap<>();

  /** Directories that were lost or damaged, and are not known to be as good as before. */
  private final Set<Integer> weak = new TreeSet<>();

  Knowledge(int ranks, Map<TierKind, Integer> bears) {
    this.ranks = ranks;
    this.bears = bears;
  }

  /** Directories that cannot be relied on. */
  Set<Integer> weak() {
    return weak;
  }

  /** How many directories may be lost at once by now. */
  int bearable() {
    return bears.entrySet().stream()
        .filter(entry -> newest.containsKey(entry.getKey()))
        .mapToInt(Map.Entry::getValue)
        .max()
        .orElse(0);
  }

  void lost(int rank) {
    weak.add(rank);
  }

  /** The oldest version that a restart may come back with; null if it may find nothing. */
  @Nullable VersionId floor() {
    if (weak.isEmpty()) {
      return newest.values().stream().max(VersionId::compareTo).orElse(null);
    }
    return bears.entrySet().stream()
        .filter(entry -> entry.getValue() >= weak.size())
        .map(entry -> newest.get(entry.getKey()))
        .filter(version -> version != null)
        .max(VersionId::compareTo)
        .orElse(null);
  }

  /** Takes note of all that the ranks have logged in a run. */
  void learn(List<RankEvents> logs) {
    Optional<RankEvents.Entry> restart =
        logs.stream().flatMap(log -> log.last("restart").stream()).findFirst();
    restart.ifPresent(this::restarted);
    for (RankEvents log : logs) {
      for (RankEvents.Entry entry : log.entries()) {
        if (entry.is("checkpoint")) {
          raise(TierKind.LOCAL, entry);
        } else if (entry.is("tier")) {
          raise(TierTypes.kindCalled(entry.tier()), entry);
        }
      }
    }
  }

  private void restarted(RankEvents.Entry entry) {
    VersionId floor = floor();
    Optional<VersionId> found = entry.id(ranks);
    if (floor != null) {
      assertThat(found).as("restart; " + this).isPresent();
      assertThat(found.get()).as("restart; " + this).isGreaterThanOrEqualTo(floor);
    }
    if (found.isPresent()) {
      newest.put(TierKind.LOCAL, found.get());
      // Restored before the restart was reported; what the shared directory has, it keeps.
      newest.computeIfPresent(TierKind.PARTNER, (kind, version) -> found.get());
      newest.computeIfPresent(TierKind.ERASURE, (kind, version) -> found.get());
    }
    weak.clear();
  }

  private void raise(TierKind kind, RankEvents.Entry entry) {
    entry
        .id(ranks)
        .ifPresent(version -> newest.merge(kind, version, (a, b) -> a.compareTo(b) >= 0 ? a : b));
  }

  @Override
  public String toString() {
    return "promised " + newest + ", weak " + weak;
  }
}
