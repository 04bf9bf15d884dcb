// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.cairn.checkpoint.CheckpointStats;
import org.cairn.container.VersionId;
import org.jspecify.annotations.Nullable;

/** A checkpoint that was taken, or is being made durable in the background, or was skipped. */
public final class Checkpoint {
  private final @Nullable VersionId version;
  private final CompletableFuture<CheckpointStats> result;

  Checkpoint(@Nullable VersionId version, CompletableFuture<CheckpointStats> result) {
    this.version = version;
    this.result = result;
  }

  static Checkpoint skipped() {
    return new Checkpoint(null, new CompletableFuture<>());
  }

  /** Whether it was skipped because the one before was not durable yet. */
  public boolean isSkipped() {
    return version == null;
  }

  /** Its identity. */
  public VersionId version() {
    if (version == null) {
      throw new IllegalStateException("a skipped checkpoint has no version");
    }
    return version;
  }

  /** Whether it is durable. */
  public boolean isDurable() {
    return result.isDone() && !result.isCompletedExceptionally();
  }

  /** Why it will never be durable, if it failed. */
  public Optional<Throwable> failure() {
    return result.isCompletedExceptionally()
        ? Optional.of(result.exceptionNow())
        : Optional.empty();
  }

  /**
   * Waits until it is durable.
   *
   * @throws CheckpointFailedException if it is not going to be
   */
  public Checkpoint await() {
    if (isSkipped()) {
      return this;
    }
    try {
      result.join();
      return this;
    } catch (CompletionException | CancellationException e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw failed(reason);
    }
  }

  CheckpointFailedException failed(Throwable reason) {
    return new CheckpointFailedException(
        "checkpoint " + version + " failed, the one before is untouched: " + reason.getMessage(),
        reason);
  }

  /** What it did and how long it took, once it is durable. */
  public Optional<CheckpointStats> stats() {
    return isDurable() ? Optional.of(result.resultNow()) : Optional.empty();
  }

  boolean isDone() {
    return isSkipped() || result.isDone();
  }
}
