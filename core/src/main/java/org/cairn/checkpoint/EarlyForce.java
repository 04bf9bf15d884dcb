// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.cairn.container.Commit;

/** Brings to the disk what a commit has written so far, while the writer writes on. */
final class EarlyForce {
  /**
   * So much must have been written before it is worth a force of its own: the medium may as well
   * begin soon, and the next one takes all that was written meanwhile. What is less is forced once.
   */
  private static final long WORTH_BYTES = 4 << 20;

  private final ExecutorService forcer;
  private final Commit commit;
  private final FirstFailure failure;
  private long unforcedBytes;
  private Future<?> last = CompletableFuture.completedFuture(null);

  EarlyForce(ExecutorService forcer, Commit commit, FirstFailure failure) {
    this.forcer = forcer;
    this.commit = commit;
    this.failure = failure;
  }

  /**
   * So many more bytes lie in the system's memory: forces if it is worth it, and none is under way.
   */
  void written(long bytes) {
    unforcedBytes += bytes;
    if (unforcedBytes >= WORTH_BYTES && last.isDone()) {
      unforcedBytes = 0;
      last = forcer.submit(this::force);
    }
  }

  private void force() {
    try {
      commit.forceEarly();
    } catch (Throwable e) {
      failure.fail(e);
    }
  }

  /** Waits for the one under way, whoever interrupts. */
  void await() {
    boolean interrupted = false;
    boolean done = false;
    while (!done) {
      try {
        last.get();
        done = true;
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        throw new AssertionError(e);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
