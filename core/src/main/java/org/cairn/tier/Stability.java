// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.cairn.TierKind;
import org.cairn.container.Retention;
import org.cairn.version.VersionId;

/**
 * Which versions all ranks have, and where; and so which ones the local container must keep.
 *
 * <p>A version is stable at a tier once every rank has it durable there. The newest stable version
 * of every tier stays until a newer one is stable, and only stable ones count for retention:
 * otherwise a rank that keeps failing and ranks that do not would drift apart until no common
 * version is left. Versions that a tier is working on are pinned.
 */
public final class Stability implements Retention {
  private final int retain;

  /** Stable in the local containers, oldest first. */
  private final List<VersionId> local = new ArrayList<>();

  private final Map<TierKind, VersionId> newest = new TreeMap<>();
  private final Map<VersionId, Integer> pins = new HashMap<>();

  /** How many versions became stable at each tier since it was started again. */
  private final Map<TierKind, Integer> counts = new TreeMap<>();

  private volatile Runnable listener = () -> {};

  /**
   * Whether what earlier runs left may go: the job was restored, or has a checkpoint of its own.
   */
  private boolean begun;

  /** Keeps so many stable versions. */
  public Stability(int retain) {
    this.retain = retain;
  }

  /** How many stable versions are kept. */
  public int retain() {
    return retain;
  }

  /** Starts again: exactly these are known to be stable, oldest first. */
  public synchronized void reset(List<VersionId> stable) {
    local.clear();
    local.addAll(stable);
    newest.clear();
    if (!stable.isEmpty()) {
      newest.put(TierKind.LOCAL, stable.getLast());
    }
    pins.clear();
    counts.clear();
    begun = true;
  }

  /** Is told after a version has become stable anywhere, by whoever brought it there. */
  public void listen(Runnable told) {
    listener = told;
  }

  /** How many versions all ranks have in their containers, those that a run began with too. */
  public synchronized int countOfAll() {
    return local.size();
  }

  /** How many versions became stable at a tier since the run began. */
  public synchronized int count(TierKind tier) {
    return counts.getOrDefault(tier, 0);
  }

  /** Every rank has the version durable at a tier. */
  public void nowStable(TierKind tier, VersionId version) {
    note(tier, version);
    listener.run();
  }

  private synchronized void note(TierKind tier, VersionId version) {
    counts.merge(tier, 1, Integer::sum);
    newest.put(tier, version);
    if (tier.equals(TierKind.LOCAL)) {
      begun = true;
      assert local.isEmpty() || local.getLast().compareTo(version) <= 0
          : version + " is stable after " + local.getLast();
      local.add(version);
      // The one before is kept too while the next is in the making.
      while (local.size() > Math.max(2, retain)) {
        local.removeFirst();
      }
    }
  }

  /** The newest version that is stable at a tier. */
  public synchronized Optional<VersionId> newest(TierKind tier) {
    return Optional.ofNullable(newest.get(tier));
  }

  synchronized void pin(VersionId version) {
    pins.merge(version, 1, Integer::sum);
  }

  synchronized void unpin(VersionId version) {
    pins.computeIfPresent(version, (id, count) -> count == 1 ? null : count - 1);
  }

  @Override
  public synchronized Set<VersionId> keep(List<VersionId> versions) {
    Set<VersionId> kept = new HashSet<>(newest.values());
    kept.addAll(pins.keySet());
    int beside = Math.max(1, retain - 1);
    kept.addAll(local.subList(Math.max(0, local.size() - beside), local.size()));
    if (!begun) {
      // Together with other tiers any of them may be what the job comes back to, should the first
      // checkpoint of this run fail on another rank.
      long current = versions.getLast().epoch();
      versions.stream().filter(version -> version.epoch() != current).forEach(kept::add);
    }
    return kept;
  }
}
