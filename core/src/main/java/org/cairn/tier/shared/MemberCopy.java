// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.StagedBlocks;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;

/** Copies the state of a member out of segments into a container, every block verified. */
final class MemberCopy {
  private static final int STAGING_BYTES = 4 << 20;

  private MemberCopy() {}

  /**
   * Writes the state of a member.
   *
   * @throws IOException if it is damaged; the message names the file and the place in it
   */
  static void write(SegmentSource source, Container target) throws IOException {
    MemberState state = source.state();
    try (BlockVerifier verifier = new BlockVerifier()) {
      Commit commit = target.begin(state.head().info().id(), state.head().info().takenAt());
      try {
        commit.copy(state.head().datasets(), state.head().info());
        copy(state, source.segments(), verifier, commit);
        commit.publish();
      } finally {
        commit.abort();
      }
    }
  }

  private static void copy(
      MemberState state, OpenSegments segments, BlockVerifier verifier, Commit commit)
      throws IOException {
    try (Arena arena = Supply.sharedArena()) {
      StagedBlocks staged = new StagedBlocks(arena.allocate(STAGING_BYTES, 64));
      state.forEach(new Copying(state.index().segments(), segments, verifier, commit, staged));
      commit.store(staged, 0);
    }
  }

  /** Puts the blocks of a rank into a commit. */
  private record Copying(
      List<String> names,
      OpenSegments segments,
      BlockVerifier verifier,
      Commit commit,
      StagedBlocks staged)
      implements MemberState.Visitor {
    @Override
    public void block(DatasetEntry dataset, int block, BlockEntry entry) throws IOException {
      if (staged.room() < entry.storedLength()) {
        commit.store(staged, 0);
        staged.clear();
      }
      SegmentReader segment = segments.open(names.get(entry.segment()));
      stage(dataset, block, entry, verifier.read(segment, dataset, block, entry), staged);
    }

    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {
      commit.storeZeros(dataset, first, count);
    }
  }

  private static void stage(
      DatasetEntry dataset,
      int block,
      BlockEntry entry,
      MemorySegment stored,
      StagedBlocks staged) {
    int slot = dataset.slotOf(block);
    int length = dataset.blockLength(block);
    MemorySegment.copy(stored, 0, staged.memory(), staged.used(), stored.byteSize());
    if (entry.isPlain()) {
      staged.addRaw(slot, length, entry.digestLow(), entry.digestHigh());
    } else {
      staged.addCoded(
          slot, length, entry.codec(), entry.storedLength(), entry.digestLow(), entry.digestHigh());
    }
  }
}
