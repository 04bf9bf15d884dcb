// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.function.Consumer;
import org.cairn.clock.Clock;
import org.cairn.event.Event;
import org.cairn.event.EventLog;

/**
 * The event log as tiers and scrubbing know it. They are opened with the job, and only an open job
 * has the directory where the log lies; before that they have nothing to tell.
 */
final class JobLog {
  private final Clock clock;
  private volatile Consumer<Event> log = _ -> {};

  JobLog(Clock clock) {
    this.clock = clock;
  }

  /** From now on events are kept. */
  void writeTo(EventLog events) {
    log = events::append;
  }

  /** An event of this moment. */
  Event event(String kind) {
    return new Event(kind, clock.now());
  }

  void append(Event event) {
    log.accept(event);
  }
}
