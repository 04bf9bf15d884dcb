// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.cairn.work.Lane;
import org.jspecify.annotations.Nullable;

/**
 * Frames on their way through several threads. Few slots of memory go round: one is filled by the
 * caller, those that were filled wait for a thread or are with one, and come back in the order in
 * which they were filled.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>Results are given out in the order of the work, by the thread that gives it.
 *   <li>No more memory is held than the slots and what each worker has.
 *   <li>After a failure nothing is given out any more; {@link #close} returns when nobody works.
 * </ol>
 *
 * <p>For one thread.
 *
 * @param <W> what each thread works with
 * @param <R> what it makes
 */
final class Line<W, R> implements AutoCloseable {
  private final List<W> workers = new ArrayList<>();
  private final List<Lane> lanes = new ArrayList<>();
  private final Consumer<W> closer;
  private final List<Slot> slots = new ArrayList<>();

  /** The one that came back last is taken next: where few suffice the others take no memory. */
  private final Deque<Slot> free = new ArrayDeque<>();

  private final Deque<Pending<W, R>> pending = new ArrayDeque<>();
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

  /** Takes what was made. */
  interface Sink<R> {
    void take(R result, Slot slot) throws IOException;
  }

  /**
   * Work that is offered to all threads, and done by the one that comes to it first: frames of one
   * set may take a hundred times as long as others, and nothing should wait behind such a one while
   * another thread has nothing to do.
   */
  private static final class Offered<W, R> {
    private static final int NOBODY = -1;

    private final AtomicInteger taker = new AtomicInteger(NOBODY);
    private final List<Lane.Piece<Optional<R>>> offers = new ArrayList<>();

    private Offered(Work<W, R> work, Slot slot, List<Lane> lanes, List<W> workers) {
      for (int i = 0; i < lanes.size(); i++) {
        int lane = i;
        W worker = workers.get(i);
        offers.add(
            lanes
                .get(i)
                .ask(
                    () ->
                        taker.compareAndSet(NOBODY, lane)
                            ? Optional.of(work.run(worker, slot))
                            : Optional.empty()));
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

  private record Pending<W, R>(Offered<W, R> work, Slot slot, Sink<R> sink) {}

  Line(String name, Capacity capacity, Supplier<W> worker, Consumer<W> closer) {
    this.closer = closer;
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
        giveOut();
      }
      slot = free.pop();
      filling = slot;
    }
    return slot;
  }

  /** Hands the slot on; gives out what has come back by now. */
  void give(Work<W, R> work, Sink<R> sink) throws IOException {
    Slot slot = slot();
    filling = null;
    pending.add(new Pending<>(new Offered<>(work, slot, lanes, workers), slot, sink));
    while (!pending.isEmpty() && pending.element().work().isDone()) {
      giveOut();
    }
  }

  private void giveOut() throws IOException {
    if (failed) {
      throw new IllegalStateException("a frame before has failed");
    }
    failed = true;
    Pending<W, R> oldest = pending.remove();
    oldest.sink().take(oldest.work().result(), oldest.slot());
    free.push(oldest.slot());
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
