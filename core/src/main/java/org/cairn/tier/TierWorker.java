// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.clock.Clock;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.record.Digest;
import org.cairn.supply.Closing;
import org.cairn.supply.Supply;
import org.cairn.version.Delta;
import org.cairn.version.VersionId;
import org.cairn.watch.Activity;
import org.cairn.work.Reserve;
import org.jspecify.annotations.Nullable;

/**
 * Brings versions to one tier, in the background and in the order in which they were taken. The
 * same on every rank: which versions are given to it was agreed on.
 */
public final class TierWorker implements AutoCloseable {
  /** How long it waits at a time for its thread, and how long altogether when it gives up. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Duration GRACE = Duration.ofSeconds(5);

  private final Tier tier;
  private final Communicator comm;
  private final Activity activity;
  private final Stability stability;
  private final Clock clock;
  private final TierListener listener;
  private final Runnable afterEach;
  private final Known deltas;
  private final @Nullable ExecutorService thread;
  private final Executor executor;
  private final Reserve reserve = Reserve.filled();
  private volatile CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
  private @Nullable VersionId newest;
  private volatile boolean abandoned;

  /** Why this rank left the others alone, if it did. */
  private volatile @Nullable Throwable broken;

  /** What leads from one version to another. */
  public interface Known {
    /** Empty if it is not known. */
    Optional<Delta> between(VersionId base, Digest root, VersionId version);
  }

  /**
   * A worker for a tier.
   *
   * @param deltas what is known of this rank's versions
   * @param afterEach called when a version was brought here, well or not
   */
  public TierWorker(
      Tier tier,
      Communicator comm,
      Stability stability,
      Clock clock,
      TierListener listener,
      Known deltas,
      Runnable afterEach) {
    this.tier = tier;
    this.comm = comm;
    this.activity = Activity.of(comm);
    this.stability = stability;
    this.clock = clock;
    this.listener = listener;
    this.deltas = deltas;
    this.afterEach = afterEach;
    if (comm.isIndependent()) {
      ExecutorService own = Supply.oneThread("cairn-" + tier.kind().label());
      thread = own;
      executor = own;
    } else {
      // A transport that serves one thread of a process: the program waits.
      thread = null;
      executor = Runnable::run;
    }
  }

  /** The tier that it feeds. */
  public Tier tier() {
    return tier;
  }

  /** Tells those who wait, also where memory has run out. */
  public Reserve reserve() {
    return reserve;
  }

  /** Another run begins: what was given before says nothing about when the next is due. */
  public void forget() {
    newest = null;
  }

  /** The version given to this tier last. */
  public @Nullable VersionId newest() {
    return newest;
  }

  /** Before ranks agree to bring a version here; fails where memory has run out. */
  public void prepare() {
    reserve.refill();
  }

  /** Brings a version here; the future ends when all ranks have it, or agree that they do not. */
  public CompletableFuture<Void> submit(VersionId version) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Runnable task = activity.task(once(() -> run(version, done)));
    stability.pin(version);
    newest = version;
    CompletableFuture<Void> before = last;
    last = done;
    try {
      executor.execute(task);
    } catch (OutOfMemoryError e) {
      // No thread for it, or no room in its queue: whoever gave it waits, behind what is under way.
      Reserve.await(before);
      task.run();
    }
    return done;
  }

  /** An executor that fails may have kept what it was given. */
  private static Runnable once(Runnable task) {
    AtomicBoolean begun = new AtomicBoolean();
    return () -> {
      if (!begun.getAndSet(true)) {
        task.run();
      }
    };
  }

  private void run(VersionId version, CompletableFuture<Void> done) {
    try {
      protect(version);
      reserve.complete(done, null);
    } catch (AgreedFailureException e) {
      reserve.fail(done, e);
    } catch (IOException | RuntimeException | Error e) {
      // Nothing was agreed on: other ranks may still wait for this one.
      broken = e;
      if (comm.size() > 1 && !abandoned) {
        activity.leftUnagreed(e); // who gave up had told them to go on without it
      }
      reserve.fail(done, e);
    } finally {
      stability.unpin(version);
    }
    try {
      afterEach.run();
    } catch (OutOfMemoryError e) {
      // It will be run after the next; the thread must not be lost with what waits for it.
    }
  }

  /** Brings a version here and waits for it; collective. */
  public void flush(VersionId version) throws IOException {
    CompletableFuture<Void> done = submit(version);
    try (Activity.Rest _ = activity.rest()) {
      Reserve.await(done);
    }
    try {
      done.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case IOException failure -> throw failure;
        case RuntimeException failure -> throw failure;
        case null, default -> throw e;
      }
    }
  }

  /** Collective; also called by a restart, to restore what was lost. */
  public void protect(VersionId version) throws IOException {
    long start = clock.nanos();
    listener.started(tier.kind(), version);
    long sent = 0;
    Throwable mine = null;
    try {
      sent = tier.protect(version, (base, root) -> deltas.between(base, root, version));
    } catch (IOException e) {
      mine = e;
    } catch (RuntimeException | Error e) {
      // Nobody is left to agree with, or others still wait for what this rank was to send them.
      listener.ended(tier.kind(), version, 0, since(start), e);
      throw e;
    }
    try {
      Agreement.reach(comm, mine);
      tier.nowStable(version);
      stability.nowStable(tier.kind(), version);
      tier.remark().ifPresent(remark -> listener.remarked(tier.kind(), version, remark));
      listener.ended(tier.kind(), version, sent, since(start), null);
    } catch (IOException | CommunicationException e) {
      listener.ended(tier.kind(), version, sent, since(start), e);
      throw e;
    }
  }

  private Duration since(long start) {
    return Duration.ofNanos(clock.nanos() - start);
  }

  /** Waits, not longer than this, until nothing is under way; whether that is so. */
  public boolean awaitIdle(Duration limit) {
    try (Activity.Rest _ = activity.rest()) {
      return Supply.await(last, limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Gives up: whoever closes now does not want to wait for the others. */
  public void abandon() {
    abandoned = true;
    if (thread != null) {
      thread.shutdownNow();
    }
  }

  /**
   * Finishes what it has been given.
   *
   * @throws IOException if this rank could not do its part and could not tell the others: a program
   *     that ended as if nothing had happened would leave them waiting
   */
  @Override
  public void close() throws IOException {
    if (thread != null) {
      try (Activity.Rest _ = activity.rest()) {
        Supply.end(thread, () -> abandoned ? GRACE : PATIENCE, () -> abandoned);
      }
    }
    new Closing().then(tier::close).then(comm::close).then(this::tellIfBroken).end();
  }

  private void tellIfBroken() throws IOException {
    Throwable reason = broken;
    if (reason != null) {
      throw new IOException("the %s tier: %s".formatted(tier.kind().label(), reason), reason);
    }
  }
}
