// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.cairn.TierKind;
import org.cairn.checkpoint.Gate;
import org.cairn.comm.Communicator;
import org.cairn.supply.Supply;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.Agreement;
import org.cairn.tier.Stability;
import org.cairn.tier.TierTypes;
import org.cairn.watch.Activity;
import org.cairn.work.Reserve;

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

  private final Judging judging;

  /** Whoever waits for an outcome must hear of it, also where memory has run out. */
  private final Reserve reserve = Reserve.filled();

  /** Where checkpoints wait; nobody must wait there who is left by those who judge. */
  private final Set<Gate> gates = ConcurrentHashMap.newKeySet();

  /** Outcomes to be agreed on by the program's thread. */
  private final Queue<Runnable> deferred = new ArrayDeque<>();

  /**
   * Agreements.
   *
   * @param background serves a thread of its own if it is independent
   */
  Agreements(Ranks ranks, Communicator background, JobTiers tiers, boolean onlyWarns) {
    this.judging = new Judging(background, onlyWarns);
    this.ranks = ranks;
    this.background = background;
    this.stability = tiers.stability();
    this.tiers = tiers;
    this.thread =
        background.isIndependent()
            ? Optional.of(Supply.oneThread("cairn-agreement"))
            : Optional.empty();
  }

  /** Whether only the thread that opened the job may call. */
  boolean serveOneThread() {
    return thread.isEmpty();
  }

  /**
   * Makes the outcome of a checkpoint on this rank an agreed one, and then brings it to its tiers.
   *
   * @param mine how it ends on this rank
   * @param gate where it waits before it becomes durable
   */
  <T> Outcome<T> agree(Ticket ticket, CompletableFuture<T> mine, Gate gate) {
    if (tiers.areNoneForOne()) {
      Judging.judgeAlone(gate);
      // Nobody else has to have it.
      var _ = mine.thenRun(() -> stability.nowStable(TierKind.LOCAL, ticket.version()));
      return new Outcome<>(mine, Map.of());
    }
    CompletableFuture<T> agreed = new CompletableFuture<>();
    Map<TierKind, CompletableFuture<Void>> arrivals = new LinkedHashMap<>();
    for (TierKind kind : TierTypes.kindsOf(ticket.tiers())) {
      arrivals.put(kind, new CompletableFuture<>());
    }
    if (gate.isClosed()) {
      gates.add(gate);
      // Who asks what it shows must not wait for ever.
      var _ = mine.whenComplete((_, _) -> gate.leave());
    }
    give(() -> agree(ticket, mine, gate, agreed, arrivals));
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
      Gate gate,
      CompletableFuture<T> agreed,
      Map<TierKind, CompletableFuture<Void>> arrivals) {
    try {
      Optional<AgreedFailureException> refusal = gate.isClosed() ? judge(gate) : Optional.empty();
      T result = null;
      Throwable failure = null;
      try {
        result = mine.join();
      } catch (CompletionException e) {
        failure = e.getCause() == null ? e : e.getCause();
      } catch (RuntimeException e) {
        failure = e;
      }
      if (refusal.isPresent()) {
        throw refusal.get(); // the same on all ranks, which need not tell each other
      }
      Agreement.reach(background, failure);
      stability.nowStable(TierKind.LOCAL, ticket.version());
      arrivals.forEach((kind, arrival) -> tiers.bring(ticket.version(), kind, arrival));
      reserve.complete(agreed, result);
    } catch (IOException | RuntimeException | Error e) {
      try {
        ranks.leave(e);
      } finally {
        arrivals.values().forEach(arrival -> reserve.fail(arrival, e));
        reserve.fail(agreed, e);
      }
    }
  }

  /** Looks whether the version may become durable; why it may not, on all ranks alike. */
  private Optional<AgreedFailureException> judge(Gate gate) {
    try {
      judging.judge(gate);
      return Optional.empty();
    } catch (AgreedFailureException e) {
      return Optional.of(e);
    } finally {
      gates.remove(gate);
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
    gates.forEach(gate -> gate.refuse(new CancellationException("the other ranks were left")));
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
