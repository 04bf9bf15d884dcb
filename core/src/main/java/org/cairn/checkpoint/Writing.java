// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.io.IOException;
import org.cairn.clock.Clock;
import org.cairn.container.Commit;
import org.cairn.container.DatasetPlan;
import org.cairn.supply.Supply;
import org.cairn.version.VersionInfo;

/** The writer's part in one checkpoint: all of it is done by its thread. */
final class Writing {
  private final Clock clock;
  private final Commit commit;
  private final FirstFailure failure;
  private final EarlyForce earlyForce;
  private final Changed changed;
  private long writeNanos;
  private long hashNanos;
  private long hashedBytes;
  private long comparableBlocks;
  private long changedBlocks;

  Writing(Pipeline pipeline, Commit commit, FirstFailure failure, Changed changed) {
    this.changed = changed;
    this.clock = pipeline.clock();
    this.commit = commit;
    this.failure = failure;
    this.earlyForce = new EarlyForce(pipeline.forcer(), commit, failure);
  }

  /**
   * A version that is durable, and what it took.
   *
   * @param start when the last batch had been written
   * @param end when it was durable
   */
  record Published(
      VersionInfo version,
      long start,
      long end,
      long writeNanos,
      long hashNanos,
      long hashedBytes,
      long comparableBlocks,
      long changedBlocks) {}

  /** Is told of blocks that changed, which only the writer has looked at. */
  interface Changed {
    void block(DatasetPlan plan, int block);
  }

  /** Stores a batch, unless all is lost already. */
  void write(Batch batch) {
    try {
      if (failure.isNone()) {
        for (int i = 0; i < batch.parts() && !batch.isCompared(); i++) {
          digest(batch, batch.plan(i), batch.part(i));
        }
        long start = clock.nanos();
        long unforced = commit.store(batch.blocks(), batch.moved());
        writeNanos += clock.nanos() - start;
        earlyForce.written(unforced);
      }
    } catch (Throwable e) {
      failure.fail(e);
    }
  }

  private void digest(Batch batch, DatasetPlan plan, Batch.Part part) {
    Supply.step("digest");
    long start = clock.nanos();
    if (part.digested) {
      CopyCheck.requireUnchanged(batch, plan, part);
    } else {
      long[] digests = batch.blocks().digests();
      CopyCheck.hash(plan, part, batch.blocks(), digests, part.firstIndex);
      countChanged(batch, plan, part, digests);
    }
    hashNanos += clock.nanos() - start;
    hashedBytes += CopyCheck.length(plan, part);
  }

  private void countChanged(Batch batch, DatasetPlan plan, Batch.Part part, long[] digests) {
    for (int i = 0; i < part.count; i++) {
      int word = 2 * (part.firstIndex + i);
      int block = part.firstBlock + i;
      boolean comparable = plan.isComparable(block);
      boolean clean = comparable && plan.isClean(block, digests[word], digests[word + 1]);
      comparableBlocks += comparable ? 1 : 0;
      changedBlocks += comparable && !clean ? 1 : 0;
      if (clean) {
        batch.countMoved();
      } else {
        this.changed.block(plan, block);
      }
    }
  }

  /** All has been written: nothing may be under way when the commit ends, well or not. */
  void awaitForce() {
    earlyForce.await();
  }

  /**
   * Makes the version durable.
   *
   * @param start when the last batch had been written
   */
  Published publish(long start) throws IOException {
    VersionInfo version = commit.publish();
    return new Published(
        version,
        start,
        clock.nanos(),
        writeNanos,
        hashNanos,
        hashedBytes,
        comparableBlocks,
        changedBlocks);
  }

  /** Leaves no trace; whatever else goes wrong, the program waits for the result. */
  void abortAfter(Throwable reason) {
    try {
      commit.abort();
    } catch (Throwable e) {
      if (e != reason) {
        reason.addSuppressed(e);
      }
    }
  }
}
