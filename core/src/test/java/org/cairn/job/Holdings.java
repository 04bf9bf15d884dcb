// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.cairn.TierKind;
import org.cairn.tier.partner.Partners;

/**
 * What must be left of a job: for each step that some rank was told to be durable, where that was
 * said to be, less what was lost or damaged since. Parity is not counted: it may save more.
 */
final class Holdings {
  private static final int GONE = -1;

  private final Partners partners;
  private final boolean hasCopies;
  private final TreeMap<Long, Holders> steps = new TreeMap<>();

  /** By owner: what is told of later copies does not count until they are made anew. */
  private final boolean[] rottenCopy;

  /** Later versions in the shared directory may refer to what was damaged. */
  private boolean rottenShared;

  Holdings(Partners partners, int ranks, boolean hasCopies) {
    this.partners = partners;
    this.hasCopies = hasCopies;
    this.rottenCopy = new boolean[ranks];
  }

  /** For each rank the host of its own container and of the copy of it. */
  private static final class Holders {
    private final int[] local;
    private final int[] copy;
    private boolean shared;

    Holders(int[] local, int[] copy, boolean shared) {
      this.local = local;
      this.copy = copy;
      this.shared = shared;
    }

    boolean bears(boolean seesShared) {
      return seesShared && shared
          || IntStream.range(0, local.length).allMatch(r -> local[r] != GONE || copy[r] != GONE);
    }

    void lose(int host) {
      Arrays.setAll(local, r -> local[r] == host ? GONE : local[r]);
      Arrays.setAll(copy, r -> copy[r] == host ? GONE : copy[r]);
    }
  }

  /**
   * The newest step that must be there.
   *
   * @param seesShared whether everything in the shared directory is seen by now
   */
  Optional<Long> best(boolean seesShared) {
    return steps.descendingMap().entrySet().stream()
        .filter(entry -> entry.getValue().bears(seesShared))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Whether a newer step was safe once. */
  boolean isNewer(long mark) {
    return steps.higherKey(mark) != null;
  }

  // ---------------------------------------------------------------- what is safe

  /**
   * A life has ended: what it restored, and what it was told, is what counts from now on.
   *
   * @param restored the step that all ranks had, redundantly, when their restart returned; 0 for
   *     none
   * @param told by step, which tiers had it
   * @param placement the host of each rank
   */
  void learn(long restored, Map<Long, Set<TierKind>> told, int[] placement) {
    boolean stillShared = steps.containsKey(restored) && steps.get(restored).shared;
    steps.clear();
    if (restored > 0) {
      steps.put(restored, holders(placement, hasCopies, stillShared));
    }
    told.forEach(
        (mark, tiers) ->
            steps.put(
                mark,
                holders(
                    placement,
                    tiers.contains(TierKind.PARTNER),
                    tiers.contains(TierKind.SHARED) && !rottenShared)));
  }

  private Holders holders(int[] placement, boolean copies, boolean shared) {
    int[] local = placement.clone();
    int[] copy = new int[placement.length];
    Arrays.setAll(
        copy, rank -> copies && !rottenCopy[rank] ? placement[partners.holderOf(rank)] : GONE);
    return new Holders(local, copy, shared);
  }

  // ---------------------------------------------------------------- what is lost

  /** The disks of a host are gone. */
  void lose(int host, int[] placement) {
    steps.values().forEach(holders -> holders.lose(host));
    for (int rank = 0; rank < rottenCopy.length; rank++) {
      if (placement[partners.holderOf(rank)] == host) {
        rottenCopy[rank] = false;
      }
    }
  }

  /** The container of a rank is damaged, or the copies of it. */
  void damage(int owner, boolean copy) {
    rottenCopy[owner] |= copy;
    for (Holders holders : steps.values()) {
      (copy ? holders.copy : holders.local)[owner] = GONE;
    }
  }

  /** The shared directory is damaged: what comes later may build on that. */
  void damageShared() {
    loseShared();
    rottenShared = true;
  }

  /** The shared directory is empty. */
  void loseShared() {
    steps.values().forEach(holders -> holders.shared = false);
    rottenShared = false;
  }

  /** Nothing is left. */
  void loseAll() {
    steps.clear();
    Arrays.fill(rottenCopy, false);
    rottenShared = false;
  }
}
