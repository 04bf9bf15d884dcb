// SPDX-License-Identifier: Apache-2.0
package org.cairn.event;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.supply.Supply;

/**
 * Ends every open log with the event {@code terminated} when a signal ends the process: a batch
 * system at its time limit, or a person. Without it such an end looks like a failure of the
 * machine. A program that fails, or leaves its checkpoints open, says nothing here.
 *
 * <p>One hook serves all logs of the process, and does not keep a log alive that nobody uses any
 * more. It waits for nothing, and for a file system that hangs not longer than {@link #PATIENCE};
 * other hooks run beside it.
 */
public final class LastWords {
  /** What the batch system gives a process is short, and belongs to others too. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** What the JVM calls the thread in which it ends the process because of a signal. */
  private static final Pattern ENDED_BY = Pattern.compile("(SIG(?:TERM|INT|HUP)) handler");

  private static final Map<EventLog, Supplier<Instant>> OPEN = new WeakHashMap<>();
  private static boolean installed;

  private LastWords() {}

  /** From now on the log gets a last event if a signal ends the process. */
  public static synchronized void promise(EventLog log, Supplier<Instant> time) {
    OPEN.put(log, time);
    if (!installed) {
      try {
        Runtime.getRuntime()
            .addShutdownHook(Supply.threadAside(LastWords::say, "cairn-last-words"));
        installed = true;
      } catch (IllegalStateException e) {
        OPEN.remove(log); // the process is ending already
      }
    }
  }

  /** The log is about to end by itself. */
  public static synchronized void withdraw(EventLog log) {
    OPEN.remove(log);
  }

  private static void say() {
    signal().ifPresent(LastWords::say);
  }

  private static void say(String signal) {
    List<Thread> writers = new ArrayList<>();
    open()
        .forEach(
            (log, time) ->
                writers.add(
                    Thread.ofPlatform()
                        .daemon()
                        .start(
                            () ->
                                log.appendLast(
                                    new Event("terminated", time.get()).with("signal", signal)))));
    try {
      for (Thread writer : writers) {
        writer.join(PATIENCE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static synchronized Map<EventLog, Supplier<Instant>> open() {
    return Map.copyOf(OPEN);
  }

  /** Hooks are not told why they run; but the thread that waits for them has a telling name. */
  private static Optional<String> signal() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(thread -> ENDED_BY.matcher(thread.getName()))
        .filter(Matcher::matches)
        .map(found -> found.group(1))
        .findFirst();
  }
}
