// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.container.StagedBlocks;
import org.cairn.supply.Workspace;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of staging buffers. Whoever wants one when all are full waits for the writer to
 * empty one: that is all the back pressure there is. Memory is taken when it is first needed.
 *
 * <p>Where tiers follow, a buffer that was written stays as it is until it is needed again, the one
 * written first before others, and tiers take from it what they would have to read. For that the
 * pool makes more buffers, as long as it may, instead of using those again that this checkpoint or
 * the one before has filled.
 */
final class StagingPool implements AutoCloseable {
  private final Workspace space = new Workspace();

  /** Those written first are first. */
  private final BlockingDeque<Batch> free = new LinkedBlockingDeque<>();

  private final Staging staging;

  // How large buffers are is known with the first checkpoint, and how many there may be with the
  // largest so far: who has many does not give them back.
  private int bufferBytes;
  private int most;
  private int made;
  private final AtomicLong checkpoint = new AtomicLong();

  StagingPool(Staging staging) {
    this.staging = staging;
  }

  /** A checkpoint of a state of this size begins; nobody has a buffer now. */
  synchronized void serve(long stateBytes) {
    if (made == 0) {
      bufferBytes = staging.buffer(stateBytes);
    }
    long buffers = staging.bytes(stateBytes) / bufferBytes;
    most = Math.max(most, Math.clamp(buffers, staging.leastBuffers(), Integer.MAX_VALUE));
  }

  /** The memory there is when all buffers have been made. */
  synchronized long bytes() {
    return (long) most * bufferBytes;
  }

  /** Another checkpoint begins. */
  void next() {
    checkpoint.incrementAndGet();
  }

  /** An empty buffer; waits if there is none. */
  Batch take() {
    Batch batch = poll();
    return batch != null ? batch : cleared(await());
  }

  /** An empty buffer, or null if all are in use. */
  @Nullable Batch poll() {
    Batch oldest = free.pollFirst();
    if (oldest == null) {
      return makeOne();
    }
    if (isOfUse(oldest)) {
      Batch another = makeIfPossible();
      if (another != null) {
        addAgain(oldest, true);
        return another;
      }
    }
    return cleared(oldest);
  }

  private boolean isOfUse(Batch batch) {
    return batch.blocks().isRemembered() && batch.writtenBy() >= checkpoint.get() - 1;
  }

  private static Batch cleared(Batch batch) {
    batch.clear();
    return batch;
  }

  /** Null also if there is no memory: then tiers read a little more. */
  private @Nullable Batch makeIfPossible() {
    try {
      return makeOne();
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  private synchronized @Nullable Batch makeOne() {
    if (made == most) {
      return null;
    }
    MemorySegment memory = space.allocate(bufferBytes, 4096);
    Batch batch = new Batch(StagedBlocks.keptUntilCleared(memory));
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
    if (batch.blocks().isRemembered()) {
      batch.writtenBy(checkpoint.get());
      batch.written();
      addAgain(batch, false);
    } else {
      addAgain(cleared(batch), true);
    }
    assert free.size() <= made : "a buffer was given back twice";
  }

  /** Where the heap has no room even for that, another one is made in its place. */
  private void addAgain(Batch batch, boolean first) {
    try {
      if (first) {
        free.addFirst(batch);
      } else {
        free.addLast(batch);
      }
    } catch (OutOfMemoryError e) {
      batch.clear();
      unmake();
    }
  }

  private synchronized void unmake() {
    made--;
  }

  /** Frees the memory; nobody may hold a buffer. */
  @Override
  public void close() {
    free.forEach(Batch::clear);
    space.close();
  }
}
