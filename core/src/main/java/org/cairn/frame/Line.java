// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.cairn.work.Lane;
import org.jspecify.annotations.Nullable;

/**
 * Frames on their way through several threads. Few slots of memory go round: one is filled by the
 * caller, those that were filled wait for a thread or are with one, and come back in the order in
 * which they were filled. But frames of one set may take a hundred times as long as others: where
 * all slots are taken, and one that is not the oldest is done, what is needed of it is put aside if
 * it is little, and its slot is filled anew. So a thread does not run out of work because another
 * one has a frame that takes long.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>Results are given out in the order of the work, by the thread that gives it.
 *   <li>No more memory is held than the slots, what each worker has, and what may be put aside.
 *   <li>After a failure nothing is given out any more; {@link #close} returns when nobody works.
 * </ol>
 *
 * <p>For one thread.
 *
 * @param <W> what each thread works with
 * @param <R> what it makes
 */
final class Line<W, R> implements AutoCloseable {
  /** So many frames may be on their way; of most of them little is left. */
  private static final int MOST_PENDING = 64;

  private final List<W> workers = new ArrayList<>();
  private final List<Lane> lanes = new ArrayList<>();
  private final Consumer<W> closer;
  private final List<Slot> slots = new ArrayList<>();

  /** The one that came back last is taken next: where few suffice the others take no memory. */
  private final Deque<Slot> free = new ArrayDeque<>();

  private final Deque<Pending<W, R>> pending = new ArrayDeque<>();

  /** A permit for each piece of work that came to an end, good or bad. */
  private final Semaphore ended = new Semaphore(0);

  private final FrameMemory aside = new FrameMemory();
  private final long asideBytes;
  private long asideUsed;
  private int asideFrames;
  private @Nullable Slot filling;
  private boolean failed;

  /** Memory of a frame, taken when it is first needed. */
  static final class Slot {
    private final FrameMemory memory = new FrameMemory();
    private final FrameMemory larger = new FrameMemory();
    private final long size;

    private Slot(long size) {
      this.size = size;
    }

    MemorySegment bytes() {
      return memory.ensure(size);
    }

    /** At least so many bytes: the usual ones, or others for a frame that is unlike the rest. */
    MemorySegment bytes(long least) {
      return least <= size ? bytes() : larger.ensure(least);
    }
  }

  /** Work for one thread. */
  interface Work<W, R> {
    R run(W worker, Slot slot) throws IOException;
  }

  /** What the sink needs of the slot: a part of its memory, or nothing. */
  interface Needed<R> {
    MemorySegment of(R result, Slot slot);
  }

  /** Takes what was made. */
  interface Sink<R> {
    void take(R result, MemorySegment needed) throws IOException;
  }

  /**
   * Work that is offered to all threads, and done by the one that comes to it first: nothing should
   * wait behind a frame that takes long while another thread has nothing to do.
   */
  private static final class Offered<W, R> {
    private static final int NOBODY = -1;

    private final AtomicInteger taker = new AtomicInteger(NOBODY);
    private final List<Lane.Piece<Optional<R>>> offers = new ArrayList<>();
    private volatile boolean over;
    private volatile @Nullable R made;

    private Offered(
        Work<W, R> work, Slot slot, List<Lane> lanes, List<W> workers, Semaphore ended) {
      for (int i = 0; i < lanes.size(); i++) {
        int lane = i;
        W worker = workers.get(i);
        offers.add(
            lanes
                .get(i)
                .ask(
                    () ->
                        taker.compareAndSet(NOBODY, lane)
                            ? Optional.of(make(work, worker, slot, ended))
                            : Optional.empty()));
      }
    }

    private R make(Work<W, R> work, W worker, Slot slot, Semaphore ended) throws IOException {
      try {
        R result = work.run(worker, slot);
        made = result;
        return result;
      } finally {
        over = true; // before the permit: whoever is woken by it has to see this
        ended.release();
      }
    }

    private boolean isDone() {
      int lane = taker.get();
      return lane != NOBODY && offers.get(lane).isDone();
    }

    /** Of the oldest work only: no thread is busy with what came before it. */
    private R result() throws IOException {
      if (taker.get() == NOBODY) {
        offers.getFirst().result(); // the first thread has it then, or another one
      }
      return offers.get(taker.get()).result().orElseThrow();
    }
  }

  /** A frame on its way: in a slot, or aside. */
  private static final class Pending<W, R> {
    private final Offered<W, R> work;
    private final Needed<R> needed;
    private final Sink<R> sink;
    private @Nullable Slot slot;
    private MemorySegment aside = MemorySegment.NULL;

    Pending(Offered<W, R> work, Slot slot, Needed<R> needed, Sink<R> sink) {
      this.work = work;
      this.slot = slot;
      this.needed = needed;
      this.sink = sink;
    }
  }

  Line(String name, Capacity capacity, Supplier<W> worker, Consumer<W> closer) {
    this.closer = closer;
    this.asideBytes = capacity.asideBytes();
    for (int i = 0; i < capacity.slots(); i++) {
      slots.add(new Slot(capacity.slotBytes()));
    }
    free.addAll(slots);
    for (int i = 0; i < capacity.threads(); i++) {
      workers.add(worker.get());
      lanes.add(Lane.beside(name + "-" + (i + 1)));
    }
  }

  /** The slot that is filled next; waits until one is free. */
  Slot slot() throws IOException {
    Slot slot = filling;
    if (slot == null) {
      while (free.isEmpty()) {
        ended.drainPermits();
        if (pending.element().work.over || pending.size() >= MOST_PENDING) {
          giveOut();
        } else if (!putAside()) {
          ended.acquireUninterruptibly();
        }
      }
      slot = free.pop();
      filling = slot;
    }
    return slot;
  }

  /** Frees the slots of frames that are done before their turn, if little is needed of them. */
  private boolean putAside() {
    for (Pending<W, R> one : pending) {
      R made = one.work.made;
      Slot slot = one.slot;
      if (made != null && slot != null) {
        MemorySegment needed = one.needed.of(made, slot);
        if (needed.byteSize() <= asideBytes - asideUsed) {
          one.aside = aside.ensure(asideBytes).asSlice(asideUsed, needed.byteSize());
          one.aside.copyFrom(needed);
          one.slot = null;
          asideUsed += needed.byteSize();
          asideFrames++;
          free.push(slot);
        }
      }
    }
    return !free.isEmpty();
  }

  /** Hands the slot on; gives out what has come back by now. */
  void give(Work<W, R> work, Needed<R> needed, Sink<R> sink) throws IOException {
    Slot slot = slot();
    filling = null;
    pending.add(
        new Pending<>(new Offered<>(work, slot, lanes, workers, ended), slot, needed, sink));
    while (!pending.isEmpty() && pending.element().work.isDone()) {
      giveOut();
    }
  }

  private void giveOut() throws IOException {
    if (failed) {
      throw new IllegalStateException("a frame before has failed");
    }
    failed = true;
    Pending<W, R> oldest = pending.remove();
    R result = oldest.work.result();
    Slot slot = oldest.slot;
    if (slot != null) {
      oldest.sink.take(result, oldest.needed.of(result, slot));
      free.push(slot);
    } else {
      oldest.sink.take(result, oldest.aside);
      asideFrames--;
      asideUsed = asideFrames == 0 ? 0 : asideUsed;
    }
    failed = false;
  }

  /** Gives out all. */
  void finish() throws IOException {
    while (!pending.isEmpty()) {
      giveOut();
    }
  }

  @Override
  public void close() {
    lanes.forEach(Lane::close);
    workers.forEach(closer);
    workers.clear();
    slots.forEach(Line::release);
    aside.close();
    slots.clear();
    free.clear();
    pending.clear();
    filling = null;
    failed = true;
  }

  private static void release(Slot slot) {
    slot.memory.close();
    slot.larger.close();
  }
}
