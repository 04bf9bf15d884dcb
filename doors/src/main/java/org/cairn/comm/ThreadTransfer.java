// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.supply.Supply;

/**
 * A send and a receive that have met. One copy brings the bytes over, made by whichever thread may
 * reach both memories: memory of a confined arena is open to its own thread only.
 *
 * <p>Confined memory of a sender is copied aside when it is sent, unless it can be delivered at
 * once. So a transfer only ever waits for a receiver whose memory is confined. A receiver that
 * waits is woken; but as it may do something else, the sender loses patience after a moment, copies
 * its message aside and goes on: else two such ranks that send to each other would wait for ever.
 */
final class ThreadTransfer {
  static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(1);

  /** Never started; stands for all threads but the one that owns confined memory. */
  private static final Thread ANYBODY = new Thread(() -> {});

  private final ThreadRequest send;
  private final ThreadRequest receive;
  private final long metAt = Supply.nanos();
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile boolean done;

  private ThreadTransfer(ThreadRequest send, ThreadRequest receive) {
    this.send = send;
    this.receive = receive;
  }

  static ThreadTransfer between(ThreadRequest send, ThreadRequest receive) {
    ThreadTransfer transfer = new ThreadTransfer(send, receive);
    send.meet(transfer);
    receive.meet(transfer);
    return transfer;
  }

  static boolean isConfined(MemorySegment memory) {
    return !memory.isAccessibleBy(ANYBODY);
  }

  /** Does what this thread can do for the transfer. */
  void proceed() {
    if (done || !busy.compareAndSet(false, true)) {
      return;
    }
    try {
      if (!done) {
        step();
      }
    } finally {
      busy.set(false);
    }
    // After busy is false: who was turned away by it has to try again.
    send.wake();
    receive.wake();
  }

  private void step() {
    MemorySegment data = send.memory();
    MemorySegment target = receive.memory();
    try {
      if (data.byteSize() > target.byteSize()) {
        finish();
        receive.fail(
            "%s does not fit into %d bytes".formatted(send.content(), target.byteSize()), null);
      } else if (isReachable(data) && isReachable(target)) {
        MemorySegment.copy(data, 0, target, 0, data.byteSize());
        finish();
        receive.complete(send.message());
      } else if (!send.isComplete() && isReachable(data) && mustDetach(data)) {
        send.detach();
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      done = true;
      String problem = "could not copy %s: %s".formatted(send.content(), e.getMessage());
      send.fail(problem, e);
      receive.fail(problem, e);
    }
  }

  private boolean mustDetach(MemorySegment data) {
    return isConfined(data)
        || data.byteSize() <= ThreadCommunicator.EAGER
        || Supply.nanos() - metAt > PATIENCE;
  }

  private static boolean isReachable(MemorySegment memory) {
    return memory.isAccessibleBy(Thread.currentThread());
  }

  private void finish() {
    done = true;
    send.complete(send.message());
  }

  /** Whether nothing moves although the two sides have met. */
  boolean isStuck() {
    return !busy.get() && !done;
  }
}
