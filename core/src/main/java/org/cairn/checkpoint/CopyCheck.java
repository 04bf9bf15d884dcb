// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.hash.SecondOpinion;
import org.cairn.version.DatasetEntry;

/**
 * Hashes what was staged. What the map will say is computed from what the file will hold, never
 * from live memory: a copy that is not what was hashed would be found damaged by whoever restores
 * it.
 */
final class CopyCheck {
  private CopyCheck() {}

  /** How many bytes there are in a part. */
  static long length(DatasetPlan plan, Batch.Part part) {
    DatasetEntry entry = plan.entry();
    int lastBlock = part.firstBlock + part.count - 1;
    return (long) (part.count - 1) * entry.spec().blockSize() + entry.blockLength(lastBlock);
  }

  /** Computes the digests of a part. */
  static void hash(DatasetPlan plan, Batch.Part part, StagedBlocks staged, long[] to, int at) {
    DatasetEntry entry = plan.entry();
    BlockHasher hasher = Hashers.of(entry.spec().algorithm());
    hasher.hash(
        staged.memory(), part.position, length(plan, part), entry.spec().blockSize(), to, at);
  }

  /** Compares all copies with what was hashed; such that nobody has hashed there must be none. */
  static void requireUnchanged(Batch batch) {
    for (int i = 0; i < batch.parts(); i++) {
      assert batch.part(i).digested : "nobody knows what it was";
      requireUnchanged(batch, batch.plan(i), batch.part(i));
    }
    batch.compared();
  }

  /** Compares the copies of a part with what was hashed. */
  static void requireUnchanged(Batch batch, DatasetPlan plan, Batch.Part part) {
    DatasetEntry entry = plan.entry();
    StagedBlocks staged = batch.blocks();
    long[] copies = batch.room(part.count);
    hash(plan, part, staged, copies, 0);
    long[] live = staged.digests();
    for (int i = 0; i < part.count; i++) {
      int word = 2 * (part.firstIndex + i);
      boolean same = copies[2 * i] == live[word] && copies[2 * i + 1] == live[word + 1];
      if (!same
          && !SecondOpinion.isIntact(
              entry.spec().algorithm(),
              staged.memory(),
              part.position + (long) i * entry.spec().blockSize(),
              entry.blockLength(part.firstBlock + i),
              copies[2 * i],
              copies[2 * i + 1],
              live[word],
              live[word + 1])) {
        throw Stager.changed(plan, part.firstBlock + i);
      }
    }
  }
}
