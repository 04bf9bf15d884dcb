// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.cairn.clock.Clock;
import org.cairn.store.Store;
import org.cairn.version.JobId;

/**
 * The lease of a job, from when it is taken until it is given back, with the thread that renews it.
 * There may be none yet: a job takes it before it enters a run, or with its first flush.
 */
final class JobLease {
  private final Store shared;
  private final Clock clock;
  private final Duration rest;
  private final LongSupplier random;
  private volatile Optional<Taken> taken = Optional.empty();

  /** A lease that was taken, and who keeps it alive. */
  private record Taken(Lease lease, Renewal renewal) {}

  /**
   * A lease that was not taken yet.
   *
   * @param rest how long a lease may stay unchanged before somebody takes it
   */
  JobLease(Store shared, Clock clock, Duration rest, LongSupplier random) {
    this.shared = shared;
    this.clock = clock;
    this.rest = rest;
    this.random = random;
  }

  /**
   * Takes the lease of a job, and waits for that as long as it takes; the one of another job is
   * given back first.
   *
   * @return whether it had to wait
   */
  boolean acquire(JobId job, String host, String place) throws IOException {
    Optional<Taken> before = taken;
    if (before.isPresent() && before.get().lease.job().equals(job) && before.get().lease.isHeld()) {
      return false;
    }
    release();
    Lease next = new Lease(shared, clock, job, rest, random.getAsLong(), host, place);
    boolean waited = next.acquire();
    keepAlive(next);
    return waited;
  }

  /**
   * Takes the lease of a job unless somebody renews it, which is watched for as long as it may
   * rest.
   *
   * @return whether it is held now
   */
  boolean acquireUnlessHeld(JobId job, String host, String place) throws IOException {
    Lease next = new Lease(shared, clock, job, rest, random.getAsLong(), host, place);
    boolean held = next.acquireUnlessHeld();
    if (held) {
      keepAlive(next);
    }
    return held;
  }

  private void keepAlive(Lease next) {
    Renewal renewal = new Renewal(next, clock);
    taken = Optional.of(new Taken(next, renewal));
    renewal.start();
  }

  /** Gives the lease back, if one was taken. */
  void release() throws IOException {
    Optional<Taken> before = taken;
    taken = Optional.empty();
    if (before.isPresent()) {
      before.get().renewal.close();
      before.get().lease.release();
    }
  }

  /** Whether one was taken, and nobody else has taken it since. */
  boolean isHeld() throws IOException {
    Optional<Taken> current = taken;
    return current.isPresent() && current.get().lease.isHeld();
  }

  /** Whether one was taken, whoever has it by now. */
  boolean isTaken() {
    return taken.isPresent();
  }

  /**
   * Refuses to go on without the lease of a job.
   *
   * @throws IOException if it is that of another, was lost, or none was taken
   */
  void require(JobId job) throws IOException {
    Lease lease = taken.orElseThrow(() -> new IOException("no lease was taken")).lease;
    if (!lease.job().equals(job)) {
      throw new IOException(
          "the lease is that of job %s, not of job %s".formatted(lease.job(), job));
    }
    lease.requireHeld();
  }

  /** What is to be renewed beside the lease from now on; empty for nothing. */
  void renewBeside(Optional<Claim> claim) {
    taken.ifPresent(current -> current.renewal.with(claim));
  }
}
