// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

/**
 * Brings a root digest from one version to the next: follows a delta as it would change the map,
 * without changing it. A slot that goes to another dataset or block is always in the delta, since
 * no digest of it could be compared.
 */
public final class DigestUpdate implements MapRecord.Visitor {
  private final RootDigest digest;
  private final BlockMap map;
  private final SlotOwners before;
  private final SlotOwners after;

  /**
   * Begins with the version that the delta is to.
   *
   * @param digest its root digest
   * @param map its map
   * @param before whose slots it has
   * @param after whose slots the next version has
   */
  public DigestUpdate(RootDigest digest, BlockMap map, SlotOwners before, SlotOwners after) {
    this.digest = digest;
    this.map = map;
    this.before = before;
    this.after = after;
  }

  /** Puts in the datasets that are new or not what they were, and takes out the others. */
  public static void datasets(RootDigest digest, Catalog before, Catalog after) {
    for (DatasetEntry dataset : before.datasets()) {
      if (!has(after, dataset)) {
        digest.remove(dataset.spec());
      }
    }
    for (DatasetEntry dataset : after.datasets()) {
      if (!has(before, dataset)) {
        digest.add(dataset.spec());
      }
    }
  }

  private static boolean has(Catalog catalog, DatasetEntry dataset) {
    DatasetEntry other = catalog.find(dataset.name());
    return other != null && other.spec().equals(dataset.spec());
  }

  @Override
  public void block(int slot, int blockLength, int stored, long place, long low, long high) {
    takeOut(slot);
    if (after.find(slot)) {
      digest.add(after.key(), after.block(slot), low, high);
    }
  }

  @Override
  public void zeros(int first, int count, int blockLength) {
    takeOut(first, count);
    int slot = first;
    while (slot < first + count) {
      int some = Math.min(after.sameFrom(slot), first + count - slot);
      if (after.find(slot)) {
        digest.addZeros(after.key(), after.block(slot), some);
      }
      slot += some;
    }
  }

  @Override
  public void released(int first, int count) {
    takeOut(first, count);
  }

  /** In as many steps as there are different things in these slots, however many they are. */
  private void takeOut(int first, int count) {
    int slot = first;
    while (slot < first + count) {
      int some = Math.min(map.sameFrom(slot), first + count - slot);
      if (map.place(slot) == BlockMap.ZERO) {
        some = Math.min(some, before.sameFrom(slot));
        takeOutZeros(slot, some);
      } else {
        takeOut(slot);
      }
      slot += some;
    }
  }

  private void takeOutZeros(int slot, int count) {
    if (before.find(slot)) {
      digest.removeZeros(before.key(), before.block(slot), count);
    }
  }

  private void takeOut(int slot) {
    long place = map.place(slot);
    if (place == BlockMap.ZERO) {
      takeOutZeros(slot, 1);
    } else if (place != BlockMap.ABSENT && before.find(slot)) {
      digest.remove(before.key(), before.block(slot), map.low(slot), map.high(slot));
    }
  }
}
