// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.cairn.TierKind;
import org.cairn.comm.Communicator;
import org.cairn.supply.Supply;
import org.cairn.tier.Agreement;
import org.cairn.tier.Stability;
import org.cairn.tier.TierTypes;
import org.cairn.watch.Activity;

/**
 * Makes the outcomes of checkpoints on this rank agreed ones, one after the other, while the
 * program goes on. Over a transport that serves one thread it is the program that waits.
 */
final class Agreements {
  private final Ranks ranks;
  private final Communicator background;
  private final Stability stability;
  private final JobTiers tiers;

  /** Agrees while the program goes on; none if the transport serves one thread. */
  private final Optional<ExecutorService> thread;

  /** Outcomes to be agreed on by the program's thread. */
  private final Queue<Runnable> deferred = new ArrayDeque<>();

  /**
   * Agreements.
   *
   * @param background serves a thread of its own if it is independent
   */
  Agreements(Ranks ranks, Communicator background, JobTiers tiers) {
    this.ranks = ranks;
    this.background = background;
    this.stability = tiers.stability();
    this.tiers = tiers;
    this.thread =
        background.isIndependent()
            ? Optional.of(Executors.newSingleThreadExecutor(Agreements::thread))
            : Optional.empty();
  }

  private static Thread thread(Runnable task) {
    return Supply.thread(task, "cairn-agreement");
  }

  /** Whether only the thread that opened the job may call. */
  boolean serveOneThread() {
    return thread.isEmpty();
  }

  /**
   * Makes the outcome of a checkpoint on this rank an agreed one, and then brings it to its tiers.
   *
   * @param mine how it ends on this rank
   */
  <T> Outcome<T> agree(Ticket ticket, CompletableFuture<T> mine) {
    if (tiers.areNoneForOne()) {
      return new Outcome<>(mine, Map.of());
    }
    CompletableFuture<T> agreed = new CompletableFuture<>();
    Map<TierKind, CompletableFuture<Void>> arrivals = new LinkedHashMap<>();
    for (TierKind kind : TierTypes.kindsOf(ticket.tiers())) {
      arrivals.put(kind, new CompletableFuture<>());
    }
    give(() -> agree(ticket, mine, agreed, arrivals));
    return new Outcome<>(agreed, arrivals);
  }

  private void give(Runnable agreement) {
    if (thread.isEmpty()) {
      deferred.add(agreement);
      return;
    }
    try {
      thread.get().execute(ranks.activity().task(agreement));
    } catch (OutOfMemoryError e) {
      deferred.add(agreement); // no thread for it; the program waits
    }
  }

  private <T> void agree(
      Ticket ticket,
      CompletableFuture<T> mine,
      CompletableFuture<T> agreed,
      Map<TierKind, CompletableFuture<Void>> arrivals) {
    try {
      T result = null;
      Throwable failure = null;
      try {
        result = mine.join();
      } catch (CompletionException e) {
        failure = e.getCause() == null ? e : e.getCause();
      } catch (RuntimeException e) {
        failure = e;
      }
      Agreement.reach(background, failure);
      stability.nowStable(TierKind.LOCAL, ticket.version());
      arrivals.forEach((kind, arrival) -> tiers.bring(ticket.version(), kind, arrival));
      agreed.complete(result);
    } catch (IOException | RuntimeException | Error e) {
      ranks.leave(e);
      arrivals.values().forEach(arrival -> arrival.completeExceptionally(e));
      agreed.completeExceptionally(e);
    }
  }

  /** Agrees on what waits for the program's thread. */
  void conclude() {
    for (Runnable next = deferred.poll(); next != null; next = deferred.poll()) {
      next.run();
    }
  }

  /** Closing must not wait for other ranks. */
  void abandon() {
    thread.ifPresent(ExecutorService::shutdownNow);
  }

  /** Finishes what has been given, and ends the thread. */
  void end() {
    if (thread.isPresent()) {
      try (Activity.Rest _ = ranks.activity().rest()) {
        Supply.end(thread.get());
      }
    }
  }
}
