// SPDX-License-Identifier: Apache-2.0
package org.cairn.event;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.supply.Supply;

/**
 * A promise to end an open log with the event {@code terminated} when a signal ends the process: a
 * batch system at its time limit, or a person. Without it such an end looks like a failure of the
 * machine. A program that fails, or leaves its checkpoints open, says nothing here.
 *
 * <p>It holds as long as somebody keeps it. One hook serves all logs of the process, and keeps
 * neither a log alive that nobody uses any more nor what its clock leads to. It waits for nothing,
 * and for a file system that hangs not longer than {@link #PATIENCE}; other hooks run beside it.
 */
public final class LastWords {
  /** What the batch system gives a process is short, and belongs to others too. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** What the JVM calls the thread in which it ends the process because of a signal. */
  private static final Pattern ENDED_BY = Pattern.compile("(SIG(?:TERM|INT|HUP)) handler");

  /** Weak, and no values: the clock of a program may lead to its log, which would stay for ever. */
  private static final Set<LastWords> OPEN = Collections.newSetFromMap(new WeakHashMap<>());

  private static boolean installed;

  private final EventLog log;
  private final Supplier<Instant> time;

  private LastWords(EventLog log, Supplier<Instant> time) {
    this.log = log;
    this.time = time;
  }

  /** From now on the log gets a last event if a signal ends the process. */
  public static synchronized LastWords promise(EventLog log, Supplier<Instant> time) {
    LastWords promise = new LastWords(log, time);
    OPEN.add(promise);
    if (!installed) {
      try {
        Runtime.getRuntime()
            .addShutdownHook(Supply.threadAside(LastWords::sayAll, "cairn-last-words"));
        installed = true;
      } catch (IllegalStateException e) {
        OPEN.remove(promise); // the process is ending already
      }
    }
    return promise;
  }

  /** The log is about to end by itself. */
  public void withdraw() {
    synchronized (LastWords.class) {
      OPEN.remove(this);
    }
  }

  private static void sayAll() {
    signal().ifPresent(LastWords::sayAll);
  }

  private static void sayAll(String signal) {
    List<Thread> writers = new ArrayList<>();
    for (LastWords promise : open()) {
      writers.add(Thread.ofPlatform().daemon().start(() -> promise.say(signal)));
    }
    try {
      for (Thread writer : writers) {
        writer.join(PATIENCE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void say(String signal) {
    log.appendLast(new Event("terminated", time.get()).with("signal", signal));
  }

  private static synchronized List<LastWords> open() {
    return List.copyOf(OPEN);
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
