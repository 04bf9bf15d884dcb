// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
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
 *
 * <p>To give a buffer back takes no memory: where the heap is full somebody waits for it all the
 * same, and the checkpoint that fails for want of memory has to come to its end.
 */
final class StagingPool implements AutoCloseable {
  private final Workspace space = new Workspace();

  private final Staging staging;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition oneIsFree = lock.newCondition();

  /** A ring with room for all that were made, from {@link #head} on; those written first first. */
  private @Nullable Batch[] ring = new Batch[0];

  private int head;
  private int free;

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
    Batch oldest = pollFirst();
    if (oldest == null) {
      return makeOne();
    }
    if (isOfUse(oldest)) {
      Batch another = makeIfPossible();
      if (another != null) {
        addFirst(oldest);
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
    makeRoom(made + 1);
    MemorySegment memory = space.allocate(bufferBytes, 4096);
    Batch batch = new Batch(StagedBlocks.keptUntilCleared(memory));
    made++; // one that could not be had must not be waited for
    assert made <= most : made + " buffers of " + most;
    return batch;
  }

  /** Gives a buffer back. */
  void give(Batch batch) {
    if (batch.blocks().isRemembered()) {
      batch.writtenBy(checkpoint.get());
      batch.written();
      addLast(batch);
    } else {
      addFirst(cleared(batch));
    }
  }

  // ---------------------------------------------------------------- the ring

  private void makeRoom(int buffers) {
    lock.lock();
    try {
      if (ring.length < buffers) {
        @Nullable Batch[] larger = new Batch[Math.max(buffers, 2 * ring.length)];
        for (int i = 0; i < free; i++) {
          larger[i] = ring[(head + i) % ring.length];
        }
        ring = larger;
        head = 0;
      }
    } finally {
      lock.unlock();
    }
  }

  private void addFirst(Batch batch) {
    lock.lock();
    try {
      assert free < ring.length : "a buffer was given back twice";
      head = (head + ring.length - 1) % ring.length;
      ring[head] = batch;
      free++;
      oneIsFree.signal();
    } finally {
      lock.unlock();
    }
  }

  private void addLast(Batch batch) {
    lock.lock();
    try {
      assert free < ring.length : "a buffer was given back twice";
      ring[(head + free) % ring.length] = batch;
      free++;
      oneIsFree.signal();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Batch pollFirst() {
    lock.lock();
    try {
      if (free == 0) {
        return null;
      }
      Batch first = ring[head];
      ring[head] = null;
      head = (head + 1) % ring.length;
      free--;
      return first;
    } finally {
      lock.unlock();
    }
  }

  private Batch await() {
    lock.lock();
    try {
      Batch first = pollFirst();
      while (first == null) {
        oneIsFree.awaitUninterruptibly();
        first = pollFirst();
      }
      return first;
    } finally {
      lock.unlock();
    }
  }

  /** Frees the memory; nobody may hold a buffer. */
  @Override
  public void close() {
    for (Batch batch = pollFirst(); batch != null; batch = pollFirst()) {
      batch.clear();
    }
    space.close();
  }
}
