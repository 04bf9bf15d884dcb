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
  static final int BYTES = 256 << 10;

  private final Subject[] subjects;

  /**
   * Where in the sequence of all tiles those of a dataset begin; the last entry is their number.
   */
  private final int[] starts;

  /** Where some blocks of the only dataset are, and which; all of them where the dataset is. */
  private final MemorySegment window;

  private final int windowStart;

  private final int windowEnd;

  private int index;
  private int dataset;
  private int firstBlock;
  private int endBlock;

  /** A tile that is nowhere yet, over some datasets. */
  Tile(Subject[] subjects) {
    this.subjects = subjects;
    this.window = MemorySegment.NULL;
    this.windowStart = 0;
    this.windowEnd = Integer.MAX_VALUE;
    this.starts = new int[subjects.length + 1];
    for (int i = 0; i < subjects.length; i++) {
      DatasetPlan plan = subjects[i].plan();
      starts[i + 1] = Math.addExact(starts[i], Math.ceilDiv(plan.entry().blocks(), step(plan)));
    }
  }

  /** The same over some blocks of a dataset, which were copied here from where it is. */
  Tile(Subject subject, MemorySegment copy, int first, int end) {
    this.subjects = new Subject[] {subject};
    this.window = copy;
    this.windowStart = first;
    this.windowEnd = end;
    this.starts = new int[] {0, Math.ceilDiv(end - first, step(subject.plan()))};
  }

  private static int step(DatasetPlan plan) {
    return Math.max(1, BYTES / plan.entry().spec().blockSize());
  }

  /** How many there are over all datasets. */
  int count() {
    return starts[subjects.length];
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
    this.index = index;
    firstBlock = windowStart + (index - starts[dataset]) * step;
    endBlock = Math.min(firstBlock + step, Math.min(windowEnd, plan().entry().blocks()));
    assert firstBlock < endBlock : "tile " + index + " has no blocks";
    return true;
  }

  /** Which of all it is. */
  int index() {
    return index;
  }

  Subject subject() {
    return subjects[dataset];
  }

  DatasetPlan plan() {
    return subject().plan();
  }

  /** Whether it is over a copy of some blocks, and not over datasets. */
  boolean isOfWindow() {
    return windowEnd != Integer.MAX_VALUE;
  }

  MemorySegment bytes() {
    return isOfWindow() ? window : subject().memory();
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
    return (long) (block - windowStart) * plan().entry().spec().blockSize();
  }

  long length() {
    int last = endBlock - 1;
    return offset(last) + plan().entry().blockLength(last) - offset(firstBlock);
  }
}
