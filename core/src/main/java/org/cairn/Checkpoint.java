// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.version.VersionId;
import org.cairn.watch.Activity;
import org.cairn.work.Reserve;
import org.jspecify.annotations.Nullable;

/** A checkpoint that was taken, or is being made durable in the background, or was skipped. */
public final class Checkpoint {
  private final @Nullable VersionId version;
  private final CompletableFuture<CheckpointStats> result;
  private final Map<TierKind, CompletableFuture<Void>> tiers;
  private final Activity activity;

  /** Whether an exception has told the program that it failed. */
  private final AtomicBoolean told = new AtomicBoolean();

  Checkpoint(
      @Nullable VersionId version,
      CompletableFuture<CheckpointStats> result,
      Map<TierKind, CompletableFuture<Void>> tiers,
      Activity activity) {
    this.version = version;
    this.result = result;
    this.tiers = tiers;
    this.activity = activity;
  }

  static Checkpoint skipped() {
    return new Checkpoint(null, new CompletableFuture<>(), Map.of(), new Activity());
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
    if (result.isCancelled()) {
      return Optional.of(new CancellationException("aborted"));
    }
    return result.isCompletedExceptionally()
        ? Optional.of(result.exceptionNow())
        : Optional.empty();
  }

  /**
   * Waits until it is durable.
   *
   * @throws CheckpointFailedException if it is not going to be, whenever this is called; calls of
   *     the {@link Checkpointer} do not throw because of it any more
   */
  public Checkpoint await() {
    if (isSkipped()) {
      return this;
    }
    awaitEnd();
    if (isDurable()) {
      return this;
    }
    tell();
    throw failedItself(failure().orElseThrow());
  }

  /** The tiers it goes to beside the local container. */
  public Set<TierKind> tiers() {
    return tiers.keySet();
  }

  /** Whether all ranks have it at a tier. */
  public boolean isAt(TierKind tier) {
    if (tier.equals(TierKind.LOCAL)) {
      return isDurable();
    }
    CompletableFuture<Void> arrival = tiers.get(tier);
    return arrival != null && arrival.isDone() && !arrival.isCompletedExceptionally();
  }

  /**
   * Waits until all ranks have it at a tier; at once if it does not go there.
   *
   * @throws CheckpointFailedException if it will not get there; it may well be durable locally
   */
  public Checkpoint await(TierKind tier) {
    await();
    CompletableFuture<Void> arrival = tiers.get(tier);
    if (arrival != null) {
      awaitEnd(arrival);
      try {
        arrival.join();
      } catch (CompletionException | CancellationException e) {
        Throwable reason = e.getCause() == null ? e : e.getCause();
        throw new CheckpointFailedException(
            "checkpoint %s did not reach the %s tier: %s"
                .formatted(version, tier.label(), reason.getMessage()),
            reason,
            version);
      }
    }
    return this;
  }

  private CheckpointFailedException failedItself(Throwable e) {
    Throwable cause = e instanceof CompletionException ? e.getCause() : e;
    return failed(
        "checkpoint " + version + " failed, the one before is untouched",
        cause == null ? e : cause);
  }

  private CheckpointFailedException failed(String message, Throwable reason) {
    return new CheckpointFailedException(message + ": " + reason.getMessage(), reason, version);
  }

  /**
   * What a later call throws because this one has failed.
   *
   * @param then what became of that call
   * @param first whether the program was not told before; otherwise another rank was not
   */
  CheckpointFailedException failedBefore(String then, boolean first) {
    String what =
        first
            ? "checkpoint %s failed in the background, the one before is untouched; %s"
            : "not all ranks had been told that checkpoint %s failed; %s";
    return failed(
        what.formatted(version, then),
        failure().orElseGet(() -> new IllegalStateException("it failed on another rank")));
  }

  /**
   * What {@link #await} would give, for programs that compose: completed with this when it is
   * durable or was skipped, with a {@link CheckpointFailedException} when it will not be.
   * Cancelling it changes nothing for the checkpoint. A failure counts as told only when {@link
   * #await} or a call of the {@link Checkpointer} has thrown it: nobody may be looking at a future.
   *
   * <p>What is composed without an executor may run on the thread that writes checkpoints, which
   * should not wait there.
   */
  public CompletableFuture<Checkpoint> toCompletableFuture() {
    if (isSkipped()) {
      return CompletableFuture.completedFuture(this);
    }
    return result.handle(
        (stats, failure) -> {
          if (failure != null) {
            throw failedItself(failure);
          }
          return this;
        });
  }

  /** What it did and how long it took, once it is durable. */
  public Optional<CheckpointStats> stats() {
    return isDurable() ? Optional.of(result.resultNow()) : Optional.empty();
  }

  /** Whether the program wanted it so, on all ranks. */
  boolean wasAborted() {
    return failure().filter(reason -> reason instanceof CancellationException).isPresent();
  }

  /** Whether it failed, and not because the program wanted it so. */
  boolean hasFailed() {
    return failure().isPresent() && !wasAborted();
  }

  /** Whether the program has been told that it failed. */
  boolean isTold() {
    return told.get();
  }

  /** The program is being told that it failed; false if it was before. */
  boolean tell() {
    return !told.getAndSet(true);
  }

  boolean isDone() {
    return isSkipped() || result.isDone();
  }

  /** Waits until it is known what has become of it; fails for nothing. */
  void awaitEnd() {
    if (!isSkipped()) {
      awaitEnd(result);
    }
  }

  private void awaitEnd(CompletableFuture<?> end) {
    try (Activity.Rest _ = activity.rest()) {
      Reserve.await(end);
    }
  }

  /** Its state in a line: {@code checkpoint 1.3: durable; partner: there; shared: on its way}. */
  @Override
  public String toString() {
    if (isSkipped()) {
      return "a checkpoint that was skipped: the one before was not durable yet";
    }
    StringBuilder text = new StringBuilder("checkpoint " + version + ": " + state());
    tiers.forEach(
        (tier, arrival) -> text.append("; " + tier.label() + ": " + stateOf(arrival, "there")));
    return text.toString();
  }

  private String state() {
    String durable =
        stats()
            .map(it -> "durable, %d of %d blocks changed".formatted(it.dirtyBlocks(), it.blocks()))
            .orElse("durable");
    return wasAborted() ? "aborted" : stateOf(result, durable);
  }

  private static String stateOf(CompletableFuture<?> arrival, String arrived) {
    return switch (arrival.state()) {
      case RUNNING -> "on its way";
      case SUCCESS -> arrived;
      case CANCELLED -> "given up";
      case FAILED -> "failed: " + arrival.exceptionNow().getMessage();
    };
  }
}
