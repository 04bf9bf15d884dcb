// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.cairn.testkit.store.StoreOperation;

/** Holds up what a store is asked to do with a container, until it is opened. */
final class Gate implements Consumer<StoreOperation> {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean closed;
  private int waiting;

  void close() {
    set(true);
  }

  void open() {
    set(false);
  }

  private void set(boolean nowClosed) {
    lock.lock();
    try {
      closed = nowClosed;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether somebody stands before it. */
  boolean isHolding() {
    lock.lock();
    try {
      return waiting > 0;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void accept(StoreOperation operation) {
    if (!operation.name().equals(Containers.NAME)) {
      return;
    }
    lock.lock();
    try {
      waiting++;
      while (closed) {
        changed.awaitUninterruptibly();
      }
    } finally {
      waiting--;
      lock.unlock();
    }
  }
}
