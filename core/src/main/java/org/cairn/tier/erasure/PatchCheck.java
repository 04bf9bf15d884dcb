// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.RootDigest;
import org.cairn.version.SlotOwners;

/**
 * Follows a {@link MapPatch} as it is applied, and says whether base and patch together are the
 * version: its root digest is that of the base, less what was there, plus what is there now. A map
 * whose root digest is right so becomes another whose root digest is right, and no slot needs to be
 * looked at that the patch leaves alone.
 *
 * <p>This holds if what is left alone still is the same block of the same dataset; so it is counted
 * whether the patch has all slots of which that is not true.
 */
final class PatchCheck {
  private final MemberHead next;
  private final RootDigest root;
  private final SlotOwners before;
  private final SlotOwners after;

  /** Slots that belong to another block now, and that the patch has not been seen to change. */
  private long unseen;

  PatchCheck(MemberHead base, MemberHead next) {
    this.next = next;
    this.root = new RootDigest(base.info());
    this.before = SlotOwners.of(base.datasets());
    this.after = SlotOwners.of(next.datasets());
    Set<DatasetSpec> was = specs(base.datasets());
    Set<DatasetSpec> is = specs(next.datasets());
    difference(was, is).forEach(root::remove);
    difference(is, was).forEach(root::add);
    countChangedOwners();
  }

  private static Set<DatasetSpec> specs(Collection<DatasetEntry> datasets) {
    return datasets.stream().map(DatasetEntry::spec).collect(Collectors.toSet());
  }

  private static Set<DatasetSpec> difference(Set<DatasetSpec> some, Set<DatasetSpec> others) {
    Set<DatasetSpec> left = new HashSet<>(some);
    left.removeAll(others);
    return left;
  }

  private void countChangedOwners() {
    int slot = 0;
    while (slot < end()) {
      int alike = Math.min(before.sameFrom(slot), after.sameFrom(slot));
      alike = Math.min(alike, end() - slot);
      unseen += MapPatch.isSameOwner(slot, before, after) ? 0 : alike;
      slot += alike;
    }
  }

  /** The first slot that neither base nor version have anything in. */
  int end() {
    return Math.max(before.end(), after.end());
  }

  /** A slot is about to change; this is what {@code pages} have as number {@code at}. */
  void takeOut(int slot, DigestPages pages, int at) {
    if (!MapPatch.isSameOwner(slot, before, after)) {
      unseen--;
    }
    if (before.find(slot)) {
      if (pages.isZero(at)) {
        root.removeZeros(before.key(), before.block(slot), 1);
      } else {
        root.remove(before.key(), before.block(slot), pages.low(at), pages.high(at));
      }
    }
  }

  /** A slot has changed. */
  void putIn(int slot, DigestPages pages, int at) {
    if (after.find(slot)) {
      if (pages.isZero(at)) {
        root.addZeros(after.key(), after.block(slot), 1);
      } else {
        root.add(after.key(), after.block(slot), pages.low(at), pages.high(at));
      }
    }
  }

  /** Whether what came out is the version. */
  boolean holds() {
    return unseen == 0 && root.isOf(next.info());
  }
}
