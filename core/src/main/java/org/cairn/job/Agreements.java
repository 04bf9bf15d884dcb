// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.jspecify.annotations.Nullable;

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

  /** Before ranks agree on the next checkpoint; fails where memory has run out. */
  void prepare() {
    reserve.refill();
    tiers.prepare();
  }

  /**
   * Makes the outcome of a checkpoint on this rank an agreed one, and then brings it to its tiers.
   * Other ranks wait for that: a rank that cannot begin with it leaves them.
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
    Agreeing<T> agreeing = new Agreeing<>(ticket, mine, gate);
    if (gate.isClosed()) {
      gates.add(gate);
      // Who asks what it shows must not wait for ever.
      var _ = mine.whenComplete((_, _) -> gate.leave());
    }
    give(agreeing);
    return agreeing.outcome;
  }

  private void give(Agreeing<?> agreeing) {
    if (thread.isEmpty()) {
      deferred.add(agreeing);
      return;
    }
    try {
      thread.get().execute(ranks.activity().task(agreeing));
    } catch (OutOfMemoryError e) {
      deferred.add(agreeing); // no thread for it; the program waits
    }
  }

  /** What is made before it begins: from then on nothing may be missing to tell how it ended. */
  private final class Agreeing<T> implements Runnable {
    private final Ticket ticket;
    private final CompletableFuture<T> mine;
    private final Gate gate;
    private final CompletableFuture<T> agreed = new CompletableFuture<>();
    private final List<TierKind> kinds;
    private final List<CompletableFuture<Void>> arrivals = new ArrayList<>();
    private final Outcome<T> outcome;

    /** An executor that fails may have kept what it was given. */
    private final AtomicBoolean begun = new AtomicBoolean();

    Agreeing(Ticket ticket, CompletableFuture<T> mine, Gate gate) {
      this.ticket = ticket;
      this.mine = mine;
      this.gate = gate;
      this.kinds = List.copyOf(TierTypes.kindsOf(ticket.tiers()));
      Map<TierKind, CompletableFuture<Void>> byKind = new LinkedHashMap<>();
      for (TierKind kind : kinds) {
        CompletableFuture<Void> arrival = new CompletableFuture<>();
        arrivals.add(arrival);
        byKind.put(kind, arrival);
      }
      this.outcome = new Outcome<>(agreed, byKind);
    }

    @Override
    public void run() {
      if (begun.getAndSet(true)) {
        return;
      }
      try {
        agree();
      } catch (IOException | RuntimeException | Error e) {
        ranks.leave(e);
        failArrivals(e);
        reserve.fail(agreed, e);
        return;
      }
      try {
        feedTiers();
      } catch (RuntimeException | Error e) {
        // It is durable on all ranks; but their tiers wait for what this one does not begin.
        ranks.leave(e);
        failArrivals(e);
      }
      reserve.complete(agreed, mine.resultNow());
    }

    private void agree() throws IOException {
      Optional<AgreedFailureException> refusal = gate.isClosed() ? judge(gate) : Optional.empty();
      Reserve.await(mine);
      Throwable failure = failure();
      if (failure instanceof OutOfMemoryError) {
        reserve.makeRoom(); // to tell others
      }
      if (refusal.isPresent()) {
        throw refusal.get(); // the same on all ranks, which need not tell each other
      }
      Agreement.reach(background, failure);
    }

    private @Nullable Throwable failure() {
      return switch (mine.state()) {
        case FAILED -> mine.exceptionNow();
        case CANCELLED -> cancellation();
        case SUCCESS, RUNNING -> null;
      };
    }

    private Throwable cancellation() {
      try {
        mine.join();
        throw new AssertionError("it was cancelled");
      } catch (CancellationException e) {
        return e;
      }
    }

    private void feedTiers() {
      stability.nowStable(TierKind.LOCAL, ticket.version());
      for (int i = 0; i < arrivals.size(); i++) {
        tiers.bring(ticket.version(), kinds.get(i), arrivals.get(i));
      }
    }

    /** By index: an iterator takes memory. */
    private void failArrivals(Throwable reason) {
      for (int i = 0; i < arrivals.size(); i++) {
        reserve.fail(arrivals.get(i), reason);
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
