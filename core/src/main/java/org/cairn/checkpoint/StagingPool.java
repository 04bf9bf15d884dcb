// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.cairn.container.StagedBlocks;
import org.cairn.supply.Workspace;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of staging buffers. Whoever wants one when all are full waits for the writer to
 * empty one: that is all the back pressure there is. Memory is taken when it is first needed.
 */
final class StagingPool implements AutoCloseable {
  private final Workspace space = new Workspace();
  private final BlockingQueue<Batch> free;
  private final int bufferBytes;
  private final int most;
  private int made;

  StagingPool(long totalBytes, int bufferBytes, int least) {
    this.bufferBytes = bufferBytes;
    this.most = Math.clamp(totalBytes / bufferBytes, least, Integer.MAX_VALUE);
    this.free = new LinkedBlockingQueue<>();
  }

  /** The memory there is when all buffers have been made. */
  long bytes() {
    return (long) most * bufferBytes;
  }

  /** An empty buffer; waits if there is none. */
  Batch take() {
    Batch batch = poll();
    return batch != null ? batch : await();
  }

  /** An empty buffer, or null if all are in use. */
  @Nullable Batch poll() {
    Batch batch = free.poll();
    return batch != null ? batch : makeOne();
  }

  private synchronized @Nullable Batch makeOne() {
    if (made == most) {
      return null;
    }
    Batch batch = new Batch(new StagedBlocks(space.allocate(bufferBytes, 4096)));
    made++; // one that could not be had must not be waited for
    assert made <= most : made + " buffers of " + most;
    return batch;
  }

  private Batch await() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return free.take();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Gives a buffer back. */
  void give(Batch batch) {
    batch.clear();
    free.add(batch);
    assert free.size() <= made : "a buffer was given back twice";
  }

  /** Frees the memory; nobody may hold a buffer. */
  @Override
  public void close() {
    space.close();
  }
}
