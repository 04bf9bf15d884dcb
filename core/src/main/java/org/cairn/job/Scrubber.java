// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.cairn.Scrubbing;
import org.cairn.clock.Clock;
import org.cairn.container.Container;
import org.cairn.container.Mended;
import org.cairn.store.Store;
import org.cairn.supply.Mutex;
import org.cairn.supply.Supply;
import org.cairn.tier.Tier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and verifies what this rank has on disk, container after container, a part of it after each
 * checkpoint; see {@link Scrubbing}.
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>{@link #checkpointTaken} is called by one thread at a time.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>It works on containers only that this process has open for writing, and so holds the locks
 *       of. It writes nothing: containers mend themselves when they commit.
 *   <li>It takes at most its share of a core, and never more memory than a piece and, for older
 *       versions, two maps.
 *   <li>Whatever goes wrong here harms no checkpoint. Its thread is made when there is something to
 *       do, and ends with {@link #close}.
 * </ol>
 */
final class Scrubber implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

  /** Less is not worth waking up for, unless it is all there is. */
  private static final long LEAST_BYTES = 1 << 20;

  /** After this a thread that does not end is interrupted again. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Scrubbing how;
  private final Clock clock;
  private final Store store;
  private final Supplier<List<Target>> targets;
  private final ScrubListener listener;

  private final Mutex mutex = new Mutex();

  // Guarded by the mutex.
  private long lastNanos;
  private double due;
  private boolean closed;
  private @Nullable Thread thread;

  /** The round that the thread is at, if it has begun one. */
  private Optional<ScrubTour> tour = Optional.empty();

  /**
   * How many bytes of this round were read before they were due: it is read in pieces, and what one
   * checkpoint got too much the next gets less. Without that a round would take fewer checkpoints
   * than was said. Known to the thread alone.
   */
  private long ahead;

  /**
   * A container to be scrubbed.
   *
   * @param onRot called when something was found to be bad in it
   */
  record Target(Container container, Runnable onRot) {
    /** What a tier has here. */
    static Optional<Target> in(Tier tier) {
      return tier.container().map(container -> new Target(container, tier::rotten));
    }

    /** Tells what commits to the container came upon, and what they mended. */
    void tell(ScrubListener listener) {
      Mended mended = container.takeMended();
      if (!mended.found().isEmpty()) {
        onRot.run();
        listener.found(container.location(), mended.found());
      }
      if (!mended.healed().isEmpty() || !mended.lost().isEmpty()) {
        listener.mended(container.location(), mended);
      }
    }
  }

  Scrubber(
      Scrubbing how,
      Clock clock,
      Store store,
      Supplier<List<Target>> targets,
      ScrubListener listener) {
    this.how = how;
    this.clock = clock;
    this.store = store;
    this.targets = targets;
    this.listener = listener;
    this.lastNanos = clock.nanos();
  }

  /** One for all that a rank writes; each is open, and so locked. */
  static Scrubber of(ThisRank me, OwnContainer own, JobTiers tiers, ScrubListener listener) {
    return new Scrubber(
        me.setup().scrubbing(),
        me.clock(),
        me.store(),
        () -> Stream.concat(own.scrubTargets().stream(), tiers.scrubTargets().stream()).toList(),
        listener);
  }

  /** A version is durable in the container of this rank: some more bytes are due. */
  void checkpointTaken(Container local) {
    new Target(local, () -> {}).tell(listener);
    if (!how.isOn()) {
      return;
    }
    long live = local.liveBytes();
    try (Mutex.Held _ = mutex.hold()) {
      long now = clock.nanos();
      due = Math.min(1, due + how.due(Duration.ofNanos(now - lastNanos)));
      lastNanos = now;
      if (!closed && due * live >= Math.min(LEAST_BYTES, live)) {
        wake();
      }
    }
  }

  private void wake() {
    mutex.announce();
    if (thread == null) {
      try {
        Thread made = Supply.thread(this::work, "cairn-scrub");
        made.start();
        thread = made;
      } catch (OutOfMemoryError e) {
        // No thread for it now; the next checkpoint tries again.
        LOG.warn("cannot scrub now: {}", e.toString());
      }
    }
  }

  // ---------------------------------------------------------------- the thread

  private void work() {
    try {
      double part = takeDue();
      while (part > 0) {
        scrub(part);
        part = takeDue();
      }
    } catch (InterruptedException e) {
      LOG.debug("scrubbing ends");
    } finally {
      tour.ifPresent(ScrubTour::end);
      tour = Optional.empty();
      try (Mutex.Held _ = mutex.hold()) {
        thread = null;
      }
    }
  }

  /** Waits for something to do; 0 if there will be nothing any more. */
  private double takeDue() throws InterruptedException {
    try (Mutex.Held _ = mutex.hold()) {
      while (!closed && due == 0) {
        mutex.awaitChange();
      }
      double part = closed ? 0 : due;
      due = 0;
      return part;
    }
  }

  private void scrub(double part) throws InterruptedException {
    ScrubTour current = tour.orElseGet(this::beginTour);
    long budget = budget(part) - ahead;
    while (budget > 0 && !current.isOver() && !isClosed()) {
      long start = clock.nanos();
      budget -= current.step();
      rest(clock.nanos() - start);
    }
    ahead = Math.max(0, -budget);
    if (current.isOver()) {
      tour = Optional.empty();
      ahead = 0;
    }
  }

  private ScrubTour beginTour() {
    List<Target> all = targets.get();
    ScrubTour fresh = new ScrubTour(all, store, clock, listener);
    tour = Optional.of(fresh);
    listener.began(all.stream().map(one -> one.container.location()).toList());
    return fresh;
  }

  /** How many bytes a part of a round is; all that is left if a whole one is due. */
  private long budget(double part) {
    if (part >= 1) {
      return Long.MAX_VALUE;
    }
    return (long) Math.ceil(part * targets.get().stream().mapToLong(Scrubber::live).sum());
  }

  private static long live(Target target) {
    return target.container.liveBytes();
  }

  private boolean isClosed() {
    try (Mutex.Held _ = mutex.hold()) {
      return closed;
    }
  }

  /** So long that the time worked is no more than the share of the time passed. */
  private void rest(long worked) throws InterruptedException {
    long nanos = (long) (worked * (1 / how.share() - 1));
    if (nanos > 0) {
      clock.pause(Duration.ofNanos(nanos));
    }
  }

  /** Ends the thread; what it just reads it reads to the end. */
  @Override
  public void close() {
    Thread running;
    try (Mutex.Held _ = mutex.hold()) {
      closed = true;
      running = thread;
      mutex.announce();
    }
    boolean interrupted = false;
    while (running != null && running.isAlive()) {
      running.interrupt();
      try {
        Supply.join(running, PATIENCE);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
