// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import org.cairn.container.VersionView;
import org.cairn.version.DatasetEntry;

/** Gives the blocks of a rank to a segment, and notes where they come to lie. For one thread. */
final class FlushStream {
  private final BlockFetch blocks;
  private final VersionView view;
  private final Target target;
  private final IndexMemory.Editor index;
  private final Changes.Builder mended = new Changes.Builder();
  private long bytes;

  /** Where blocks go. */
  record Target(String segment, FlushSource.Sink sink) {}

  /**
   * A stream of blocks.
   *
   * @param view the version, at least as far as it changed
   * @param index what the version before has
   */
  FlushStream(BlockFetch blocks, VersionView view, IndexMemory.Editor index, Target target) {
    this.blocks = blocks;
    this.view = view;
    this.target = target;
    this.index = index;
  }

  /**
   * Writes blocks.
   *
   * @param fresh those that the container is asked for
   * @param moved those that are copied out of older segments
   */
  void write(Changes fresh, Changes moved) throws IOException {
    Changes written = fresh.union(moved);
    for (DatasetEntry dataset : view.datasets()) {
      BlockSet all = written.of(dataset.name());
      BlockSet local = fresh.of(dataset.name());
      for (int i = 0; i < all.ranges(); i++) {
        write(dataset, all.first(i), all.end(i), local);
      }
    }
  }

  private void write(DatasetEntry dataset, int first, int end, BlockSet local) throws IOException {
    int block = first;
    while (block < end) {
      int zeros = Math.min(view.zerosFrom(dataset, block), end - block);
      if (zeros > 0) {
        index.putZeros(dataset, block, zeros);
      } else if (local.contains(block)) {
        append(dataset, block, blocks.changed(dataset, block));
      } else {
        append(dataset, block, blocks.moved(dataset, block));
      }
      block += Math.max(1, zeros);
    }
  }

  private void append(DatasetEntry dataset, int block, BlockFetch.Fetched fetched)
      throws IOException {
    target.sink.append(fetched.bytes());
    int length = (int) fetched.bytes().byteSize();
    index.put(
        dataset,
        block,
        target.segment,
        bytes,
        length,
        fetched.codec(),
        fetched.low(),
        fetched.high());
    bytes += length;
  }

  /** Writes a block again that is damaged where it lies. */
  void mend(DatasetEntry dataset, int block) throws IOException {
    append(dataset, block, blocks.unchanged(dataset, block));
    mended.add(dataset.name(), block);
  }

  /** How many bytes of blocks were written. */
  long bytes() {
    return bytes;
  }

  /** Where all blocks of the version lie; those written now as if they were the first there. */
  IndexMemory.Editor index() {
    return index;
  }

  /** Blocks that were found damaged, and written again. */
  Changes mended() {
    return mended.build();
  }
}
