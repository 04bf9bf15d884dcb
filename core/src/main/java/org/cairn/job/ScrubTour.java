// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.container.ContainerScrub;
import org.cairn.store.Store;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One round of scrubbing on its way, container after container. */
final class ScrubTour {
  private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

  private final Store store;
  private final Clock clock;
  private final ScrubListener listener;
  private final Deque<Scrubber.Target> left;
  private final long start;
  private final List<String> cached = new ArrayList<>();
  private final List<String> given = new ArrayList<>();
  private Optional<Visit> visit = Optional.empty();
  private long bytes;
  private long bad;
  private boolean over;

  /** The container that is being read. */
  private record Visit(Scrubber.Target target, ContainerScrub scrub) {}

  ScrubTour(List<Scrubber.Target> targets, Store store, Clock clock, ScrubListener listener) {
    this.left = new ArrayDeque<>(targets);
    this.store = store;
    this.clock = clock;
    this.listener = listener;
    this.start = clock.nanos();
  }

  /** Whether it has ended, at its end or before. */
  boolean isOver() {
    return over;
  }

  /** Reads some more; how many bytes. */
  long step() {
    if (visit.isEmpty()) {
      next();
      return 0;
    }
    return step(visit.get());
  }

  private long step(Visit here) {
    String location = here.target.container().location();
    try {
      long read = here.scrub.step();
      bytes += read;
      report(here);
      if (here.scrub.isDone()) {
        endVisit();
      }
      return read;
    } catch (ClosedChannelException e) {
      // It was closed, or opened again as another one.
      endVisit();
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("scrubbing {} ends early: {}", location, e.toString());
      given.add(location + ": " + e.getMessage());
      endVisit();
    }
    return 0;
  }

  /** Begins with the next container; ends the round if there is none. */
  private void next() {
    Scrubber.Target target = left.poll();
    if (target == null) {
      end();
      return;
    }
    target.tell(listener);
    String location = target.container().location();
    try {
      ContainerScrub scrub = new ContainerScrub(target.container(), store);
      visit = Optional.of(new Visit(target, scrub));
      if (!scrub.isUncached()) {
        cached.add(location);
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.debug("{} is not scrubbed", location, e);
      given.add(location + ": " + e.getMessage());
    }
  }

  private void report(Visit here) {
    List<String> fresh = here.scrub.takeFound();
    if (!fresh.isEmpty()) {
      bad += fresh.size();
      here.target.onRot().run();
      listener.found(here.target.container().location(), fresh);
    }
  }

  private void endVisit() {
    Optional<Visit> ended = visit;
    visit = Optional.empty();
    if (ended.isPresent()) {
      try {
        ended.get().scrub.close();
      } catch (IOException e) {
        LOG.debug("closing what was read", e);
      }
    }
  }

  /** Ends it wherever it is; only what was a whole round is told. */
  void end() {
    if (over) {
      return;
    }
    over = true;
    boolean whole = visit.isEmpty() && left.isEmpty();
    endVisit();
    if (whole) {
      Duration time = Duration.ofNanos(clock.nanos() - start);
      listener.ended(new ScrubListener.Round(bytes, bad, cached, given, time));
    }
  }
}
