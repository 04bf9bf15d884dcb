// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.cairn.TierKind;
import org.cairn.container.Retention;
import org.cairn.supply.Closing;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.Stability;
import org.cairn.tier.TierWorker;
import org.cairn.version.JobId;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** The tiers of a job beside the local containers, and which versions are stable where. */
final class JobTiers {
  private final ThisRank me;
  private final Stability stability;
  private final Map<TierKind, TierWorker> workers;

  /**
   * The tiers.
   *
   * @param workers in the order in which they are fed
   */
  JobTiers(ThisRank me, Stability stability, Map<TierKind, TierWorker> workers) {
    this.me = me;
    this.stability = stability;
    this.workers = workers;
  }

  boolean isEmpty() {
    return workers.isEmpty();
  }

  /**
   * Whether there is nobody to agree with, and no tier to feed. Such a job is spared the thread
   * that agrees, and asks the clock at every step: all else costs it nothing.
   */
  boolean areNoneForOne() {
    return me.ranks().isOnlyOne() && isEmpty();
  }

  /** Which versions all ranks have, and where. */
  Stability stability() {
    return stability;
  }

  /** A single rank without tiers agrees with nobody: it keeps the newest versions. */
  Retention retention() {
    return areNoneForOne() ? Retention.newest(stability.retain()) : stability;
  }

  // ---------------------------------------------------------------- when a run begins

  /** Whether others than this job could write where one of the tiers does; all ranks know that. */
  boolean needLease() {
    return !workers.values().stream().allMatch(worker -> worker.tier().isInDirectories());
  }

  /** Takes the right to write of a job, for all ranks; whether it had to wait for it. */
  boolean acquire(JobId job, String domain, String place) throws IOException {
    boolean waited = false;
    for (TierWorker worker : workers.values()) {
      waited |= worker.tier().acquire(job, domain, place);
    }
    return waited;
  }

  /** Another run begins. */
  void forget() {
    workers.values().forEach(TierWorker::forget);
  }

  /** Something damaged was found in these files of this rank. */
  void damaged(Collection<String> files) {
    for (TierWorker worker : workers.values()) {
      files.forEach(worker.tier()::damaged);
    }
  }

  /**
   * What was lost once must not be one failure away from being lost for good; collective.
   *
   * @return which tiers the version did not get to, and why; the same on all ranks
   */
  List<String> restoreRedundancy(VersionId version) throws IOException {
    List<String> problems = new ArrayList<>();
    for (TierWorker worker : workers.values()) {
      if (worker.tier().isInDirectories()) {
        try {
          worker.protect(version);
        } catch (AgreedFailureException e) {
          // The state is restored, and only what nobody needed of it may be damaged.
          problems.add(
              "version %s did not get to the %s tier: %s"
                  .formatted(version, worker.tier().kind().label(), e.getMessage()));
        }
      }
    }
    return problems;
  }

  // ---------------------------------------------------------------- which are fed

  /** Those whose turn it is with a version, as bits; the same on all ranks. */
  int due(VersionId version) {
    int due = 0;
    for (TierWorker worker : workers.values()) {
      due |= isDue(worker, version) ? worker.tier().kind().bit() : 0;
    }
    return due;
  }

  private boolean isDue(TierWorker worker, VersionId version) {
    VersionId last = worker.newest();
    return last == null
        || version.sequence() - last.sequence() >= me.setup().tiers().every(worker.tier().kind());
  }

  /** Those of the due ones that are busy here longer than there is patience for, as bits. */
  long busy(int due) {
    long deadline = me.clock().nanos() + me.setup().tiers().patience().toNanos();
    long busy = 0;
    for (TierWorker worker : workers.values()) {
      int bit = worker.tier().kind().bit();
      Duration left = Duration.ofNanos(Math.max(0, deadline - me.clock().nanos()));
      if ((due & bit) != 0 && !worker.awaitIdle(left)) {
        busy |= bit;
      }
    }
    return busy;
  }

  /** How many losses a tier bears; empty if there is none such. */
  Optional<Integer> losses(TierKind kind) {
    return Optional.ofNullable(workers.get(kind)).map(worker -> worker.tier().losses());
  }

  /** All of them, as bits. */
  int all() {
    return workers.values().stream()
        .mapToInt(worker -> worker.tier().kind().bit())
        .reduce(0, (one, other) -> one | other);
  }

  // ---------------------------------------------------------------- bringing versions there

  /** Before ranks agree to bring a version there; fails where memory has run out. */
  void prepare() {
    workers.values().forEach(TierWorker::prepare);
  }

  /** Brings a version to a tier in the background, and completes {@code arrival} with the end. */
  void bring(VersionId version, TierKind kind, CompletableFuture<Void> arrival) {
    TierWorker worker = workers.get(kind);
    if (worker != null) {
      // Whoever wants to know asks the arrival, which is completed whatever happens.
      var _ =
          worker.submit(version).whenComplete((done, failure) -> arrived(worker, arrival, failure));
    }
  }

  private void arrived(
      TierWorker worker, CompletableFuture<Void> arrival, @Nullable Throwable failure) {
    if (failure == null) {
      worker.reserve().complete(arrival, null);
      return;
    }
    try {
      if (worker.tier().isInDirectories()) {
        OtherLives.nameIfFull(me.home(), failure);
      }
    } finally {
      // Also if files cannot be looked at: whoever waits for it would wait for ever.
      worker.reserve().fail(arrival, failure);
    }
  }

  /**
   * What feeds a tier.
   *
   * @throws IllegalArgumentException if the job has no such tier
   */
  TierWorker worker(TierKind kind) {
    TierWorker worker = workers.get(kind);
    if (worker == null) {
      throw new IllegalArgumentException(
          "this job has no %s tier; it has %s".formatted(kind.label(), workers.keySet()));
    }
    return worker;
  }

  /** Brings the newest version that all ranks have to a tier now; collective. */
  void flush(TierWorker worker) throws IOException {
    awaitIdle();
    Optional<VersionId> newest = stability.newest(TierKind.LOCAL);
    if (newest.isPresent() && !newest.equals(stability.newest(worker.tier().kind()))) {
      worker.flush(newest.get());
    }
  }

  /** Those that do not have the newest version. */
  List<TierWorker> behind(Optional<VersionId> newest) {
    return workers.values().stream()
        .filter(worker -> !newest.equals(stability.newest(worker.tier().kind())))
        .toList();
  }

  /** Waits until all that they were given is done. */
  void awaitIdle() {
    workers.values().forEach(worker -> worker.awaitIdle(Duration.ofNanos(Long.MAX_VALUE)));
  }

  /** The same until a time is over that began at {@code start}; whether all is done. */
  boolean awaitIdle(long start, Duration limit) {
    return workers.values().stream().allMatch(worker -> worker.awaitIdle(me.left(start, limit)));
  }

  /** What they have here that is to be scrubbed; each is open, and so locked. */
  List<Scrubber.Target> scrubTargets() {
    return workers.values().stream()
        .flatMap(worker -> Scrubber.Target.in(worker.tier()).stream())
        .toList();
  }

  // ---------------------------------------------------------------- leaving

  /** Closing must not wait for other ranks. */
  void abandon() {
    workers.values().forEach(TierWorker::abandon);
  }

  /** Finishes what they have been given, and closes them. */
  void close(Closing closing) {
    workers.values().forEach(worker -> closing.then(worker::close));
  }
}
