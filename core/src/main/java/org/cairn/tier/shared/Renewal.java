// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.supply.Supply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a lease, and the claim of a flush under way, alive from a thread of its own: a program that
 * computes for hours without a checkpoint must not lose them. Ends when the lease is lost.
 */
final class Renewal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Renewal.class);

  private final Lease lease;
  private final Clock clock;
  private final Thread thread;
  private volatile Optional<Claim> claim = Optional.empty();
  private volatile boolean closed;
  private boolean failing;

  Renewal(Lease lease, Clock clock) {
    this.lease = lease;
    this.clock = clock;
    this.thread = Supply.thread(this::run, "cairn-lease");
  }

  void start() {
    thread.start();
  }

  /** What is to be renewed beside the lease from now on; empty for nothing. */
  void with(Optional<Claim> next) {
    claim = next;
  }

  private void run() {
    while (!closed && !lease.isLost()) {
      try {
        clock.pause(lease.period());
      } catch (InterruptedException e) {
        return;
      }
      doWork();
    }
  }

  /** One renewal. */
  void doWork() {
    try {
      lease.renew();
      Optional<Claim> current = claim;
      if (current.isPresent() && !lease.isLost()) {
        current.get().renew();
      }
      failing = false;
    } catch (IOException | RuntimeException e) {
      if (!failing && !closed) {
        LOG.warn("the lease in the shared directory cannot be renewed: {}", e.toString());
      }
      failing = true;
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
