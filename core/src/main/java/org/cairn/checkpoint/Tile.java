// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.lang.foreign.MemorySegment;
import org.cairn.container.DatasetPlan;

/**
 * Some consecutive blocks of a dataset: what a worker takes at a time. Small enough that a dirty
 * block is still in the core's cache when it is copied after it was hashed.
 *
 * <p>Each worker has one and moves it from place to place: an object a tile would be garbage in
 * proportion to the data.
 */
final class Tile {
  private static final int BYTES = 256 << 10;

  private final Subject[] subjects;

  /**
   * Where in the sequence of all tiles those of a dataset begin; the last entry is their number.
   */
  private final int[] starts;

  private int dataset;
  private int firstBlock;
  private int endBlock;

  /** A tile that is nowhere yet, over some datasets. */
  Tile(Subject[] subjects) {
    this.subjects = subjects;
    this.starts = new int[subjects.length + 1];
    for (int i = 0; i < subjects.length; i++) {
      DatasetPlan plan = subjects[i].plan();
      starts[i + 1] = Math.addExact(starts[i], Math.ceilDiv(plan.entry().blocks(), step(plan)));
    }
  }

  private static int step(DatasetPlan plan) {
    return Math.max(1, BYTES / plan.entry().spec().blockSize());
  }

  /** The most blocks a tile can have. */
  static int maxBlocks() {
    return BYTES / 128;
  }

  /**
   * Moves to a tile, counted over all datasets from 0, and not before the one it was moved to last.
   *
   * @return false if there are not that many
   */
  boolean moveTo(int index) {
    assert dataset == subjects.length || index >= starts[dataset] : "back to tile " + index;
    while (dataset < subjects.length && index >= starts[dataset + 1]) {
      dataset++;
    }
    if (dataset == subjects.length) {
      return false;
    }
    int step = step(plan());
    firstBlock = (index - starts[dataset]) * step;
    endBlock = Math.min(firstBlock + step, plan().entry().blocks());
    assert firstBlock < endBlock : "tile " + index + " has no blocks";
    return true;
  }

  Subject subject() {
    return subjects[dataset];
  }

  DatasetPlan plan() {
    return subject().plan();
  }

  MemorySegment bytes() {
    return subject().memory();
  }

  int firstBlock() {
    return firstBlock;
  }

  int endBlock() {
    return endBlock;
  }

  int blocks() {
    return endBlock - firstBlock;
  }

  long offset(int block) {
    return (long) block * plan().entry().spec().blockSize();
  }

  long length() {
    int last = endBlock - 1;
    return offset(last) + plan().entry().blockLength(last) - offset(firstBlock);
  }
}
