// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.cairn.supply.HostName;
import org.cairn.supply.Plainly;

/**
 * Who holds a lock, as written into the lock file for people to read.
 *
 * <pre>
 * LockFile → "pid" SP Number LF "host" SP Name LF "since" SP Instant LF
 * </pre>
 *
 * <p>The content only informs; whether the lock is held is decided by the operating system. So
 * content that is missing, old or damaged makes a message vague, never a decision wrong.
 */
record LockHolder(long pid, String host, Instant since) {

  /** No lock file of ours is longer; more than this is not worth reading. */
  static final int MAX_LENGTH = 1024;

  /** This process, now. */
  static LockHolder current() {
    return new LockHolder(
        Plainly.processNumber(), HostName.get(), Instant.now().truncatedTo(ChronoUnit.SECONDS));
  }

  String format() {
    return "pid " + pid + "\nhost " + host + "\nsince " + Plainly.text(since) + "\n";
  }

  static Optional<LockHolder> parse(String text) {
    String[] lines = text.split("\n", -1);
    if (lines.length != 4
        || !lines[0].startsWith("pid ")
        || !lines[1].startsWith("host ")
        || !lines[2].startsWith("since ")) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new LockHolder(
              Long.parseLong(lines[0].substring(4)),
              lines[1].substring(5),
              Instant.parse(lines[2].substring(6))));
    } catch (NumberFormatException | DateTimeParseException e) {
      return Optional.empty();
    }
  }

  String describe() {
    return "process " + pid + " on host " + host + " since " + since;
  }

  /** Whether the process is seen running; one of another host cannot be seen and may run. */
  boolean mayBeAlive() {
    return !host.equals(HostName.get()) || ProcessHandle.of(pid).isPresent();
  }
}
