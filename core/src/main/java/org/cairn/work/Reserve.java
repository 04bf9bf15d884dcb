// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Some memory of the heap for the moment when there is none: to say that a checkpoint has failed
 * takes a few bytes, and a program that is never told waits for ever. Where even that is not
 * enough, because others took it, it is tried again until somebody gives memory back.
 *
 * <p>Who waits must wait for the very future that is told. One that follows from it ({@code
 * whenComplete}, {@code thenRun}) is forgotten by the JDK if memory runs out while it is its turn;
 * what such a step has to tell, it tells by this.
 */
public final class Reserve {
  private static final int BYTES = 16 << 10;
  private static final long PAUSE_NANOS = 1_000_000;

  private volatile byte @Nullable [] memory;

  /** One that is there from the beginning. */
  public static Reserve filled() {
    Reserve reserve = new Reserve();
    reserve.refill();
    return reserve;
  }

  /** Takes it, if it is not there; fails where it cannot be had, as long as that does no harm. */
  public void refill() {
    if (memory == null) {
      memory = Supply.bytes(BYTES);
    }
  }

  /**
   * Waits until it is known what has become of something; where memory has run out it looks again
   * and again. What it has become the future knows itself.
   */
  public static void await(CompletableFuture<?> result) {
    while (!result.isDone()) {
      try {
        result.join();
      } catch (CompletionException | CancellationException e) {
        return;
      } catch (OutOfMemoryError e) {
        Supply.nap(result, PAUSE_NANOS);
      }
    }
  }

  /** Tells whoever waits that it is there. */
  public <T> void complete(CompletableFuture<T> result, T value) {
    while (true) {
      try {
        result.complete(value);
        return;
      } catch (OutOfMemoryError e) {
        makeRoom();
      }
    }
  }

  /** Tells whoever waits that it will never be. */
  public void fail(CompletableFuture<?> result, Throwable reason) {
    while (true) {
      try {
        result.completeExceptionally(reason);
        return;
      } catch (OutOfMemoryError e) {
        makeRoom();
      }
    }
  }

  /** Lets a task be done that must not be forgotten. */
  public void execute(Executor executor, Runnable task) {
    while (true) {
      try {
        executor.execute(task);
        return;
      } catch (OutOfMemoryError e) {
        makeRoom();
      }
    }
  }

  /** Does what must be done, and may be done again where it came to half of it. */
  public void insist(Runnable task) {
    while (true) {
      try {
        task.run();
        return;
      } catch (OutOfMemoryError e) {
        makeRoom();
      }
    }
  }

  /**
   * Memory has run out in what will be tried again: gives what there is, or else waits a moment.
   */
  public void makeRoom() {
    if (memory != null) {
      memory = null;
    } else {
      Supply.nap(this, PAUSE_NANOS);
    }
  }
}
