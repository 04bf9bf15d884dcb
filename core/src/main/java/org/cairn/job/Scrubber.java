// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.cairn.Scrubbing;
import org.cairn.clock.Clock;
import org.cairn.container.Container;
import org.cairn.container.ContainerScrub;
import org.cairn.container.Mended;
import org.cairn.store.Store;
import org.cairn.supply.Mutex;
import org.cairn.supply.Supply;
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

  // Of the thread.
  private @Nullable Tour tour;

  /**
   * A container to be scrubbed.
   *
   * @param onRot called when something was found to be bad in it
   */
  record Target(Container container, Runnable onRot) {}

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

  /** A version is durable in the container of this rank: some more bytes are due. */
  void checkpointTaken(Container local) {
    tell(new Target(local, () -> {}));
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
      endTour();
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

  /** One round on its way. */
  private static final class Tour {
    final Deque<Target> left;
    final long start;
    long bytes;
    long bad;
    final List<String> cached = new ArrayList<>();
    final List<String> given = new ArrayList<>();
    @Nullable Target target;
    @Nullable ContainerScrub scrub;

    Tour(List<Target> targets, long start) {
      this.left = new ArrayDeque<>(targets);
      this.start = start;
    }
  }

  private void scrub(double part) throws InterruptedException {
    Tour current = tour;
    if (current == null) {
      List<Target> all = targets.get();
      current = new Tour(all, clock.nanos());
      tour = current;
      listener.began(all.stream().map(one -> one.container.location()).toList());
    }
    long budget = budget(part);
    while (budget > 0 && tour != null && !isClosed()) {
      long start = clock.nanos();
      budget -= step(current);
      rest(clock.nanos() - start);
    }
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

  private long step(Tour current) {
    ContainerScrub scrub = current.scrub;
    Target target = current.target;
    if (scrub == null || target == null) {
      next(current);
      return 0;
    }
    try {
      long read = scrub.step();
      current.bytes += read;
      report(current, target, scrub);
      if (scrub.isDone()) {
        endTarget(current);
      }
      return read;
    } catch (ClosedChannelException e) {
      // It was closed, or opened again as another one.
      endTarget(current);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("scrubbing {} ends early: {}", target.container.location(), e.toString());
      current.given.add(target.container.location() + ": " + e.getMessage());
      endTarget(current);
    }
    return 0;
  }

  /** Begins with the next container; ends the round if there is none. */
  private void next(Tour current) {
    Target target = current.left.poll();
    if (target == null) {
      endTour();
      return;
    }
    tell(target);
    try {
      ContainerScrub scrub = new ContainerScrub(target.container, store);
      current.target = target;
      current.scrub = scrub;
      if (!scrub.isUncached()) {
        current.cached.add(target.container.location());
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.debug("{} is not scrubbed", target.container.location(), e);
      current.given.add(target.container.location() + ": " + e.getMessage());
    }
  }

  private void report(Tour current, Target target, ContainerScrub scrub) {
    List<String> fresh = scrub.takeFound();
    if (!fresh.isEmpty()) {
      current.bad += fresh.size();
      target.onRot.run();
      listener.found(target.container.location(), fresh);
    }
  }

  private static void endTarget(Tour current) {
    ContainerScrub scrub = current.scrub;
    current.scrub = null;
    current.target = null;
    if (scrub != null) {
      try {
        scrub.close();
      } catch (IOException e) {
        LOG.debug("closing what was read", e);
      }
    }
  }

  private void endTour() {
    Tour current = tour;
    tour = null;
    if (current != null) {
      boolean whole = current.scrub == null && current.left.isEmpty();
      endTarget(current);
      if (whole) {
        Duration time = Duration.ofNanos(clock.nanos() - current.start);
        listener.ended(
            new ScrubListener.Round(
                current.bytes, current.bad, current.cached, current.given, time));
      }
    }
  }

  /** Tells what commits to a container came upon, and what they mended. */
  void tell(Target target) {
    Mended mended = target.container.takeMended();
    if (!mended.found().isEmpty()) {
      target.onRot.run();
      listener.found(target.container.location(), mended.found());
    }
    if (!mended.healed().isEmpty() || !mended.lost().isEmpty()) {
      listener.mended(target.container.location(), mended);
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
