// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.Dataset;
import org.cairn.DatasetStats;
import org.cairn.container.DatasetPlan;
import org.cairn.track.Suspects;
import org.cairn.track.Trackers;

/** A dataset as a checkpoint looks at it, and what was seen so far; for many threads. */
final class Subject {
  private final Dataset dataset;
  private final DatasetPlan plan;
  private final MemorySegment memory;
  private final Trackers.Seen seen;
  private final Suspects suspects;
  private final AtomicLong hashedBytes = new AtomicLong();
  private final AtomicLong hashNanos = new AtomicLong();
  private final AtomicLong changedBytes = new AtomicLong();

  /**
   * A dataset.
   *
   * @param seen what is known of it before any byte is looked at
   * @param believed whether that counts
   */
  Subject(
      Dataset dataset,
      DatasetPlan plan,
      MemorySegment memory,
      Trackers.Seen seen,
      boolean believed) {
    this.dataset = dataset;
    this.plan = plan;
    this.memory = memory;
    this.seen = seen;
    this.suspects = believed ? seen.suspects() : Suspects.all();
  }

  DatasetPlan plan() {
    return plan;
  }

  MemorySegment memory() {
    return memory;
  }

  /** Whether pages say anything of it. */
  boolean isTracked() {
    return suspects.knows();
  }

  /** Whether a block was saved before and was not written to since, as far as pages tell. */
  boolean isUnwritten(int block) {
    return suspects.knows() && plan.isComparable(block) && !isSuspect(block);
  }

  private boolean isSuspect(int block) {
    long from = (long) block * plan.entry().spec().blockSize();
    return suspects.has(from, from + plan.entry().blockLength(block));
  }

  void countHashed(long bytes, long nanos) {
    hashedBytes.addAndGet(bytes);
    hashNanos.addAndGet(nanos);
  }

  void countChanged(long bytes) {
    changedBytes.addAndGet(bytes);
  }

  private long comparableBytes() {
    long blocks = (long) plan.comparableBlocks() * plan.entry().spec().blockSize();
    return Math.min(blocks, plan.entry().spec().byteLength());
  }

  /** What was seen of it, for the program. */
  DatasetStats describe() {
    return new DatasetStats(
        dataset.name(),
        plan.entry().spec().byteLength(),
        comparableBytes(),
        seen.writtenBytes(),
        hashedBytes.get(),
        changedBytes.get(),
        seen.words());
  }

  /** Tells what it has cost, for decisions to come. */
  void teach(int crew) {
    seen.cost().was(hashedBytes.get(), (double) hashNanos.get() / crew);
  }
}
