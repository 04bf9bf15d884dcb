// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.clock.Clock;
import org.cairn.record.CorruptContainerException;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;

/**
 * The right to collect, held by one process at a time, and only for a while.
 *
 * <pre>Lease → expiresAt:u64 checksum        "collector-3.lease"</pre>
 *
 * <p>Leases are numbered, and the one with the largest number counts. Taking over an expired one
 * means to create the next, which of several one only can do; deleting the expired file and making
 * it anew would let a slow process delete the lease of a quick one. A lease that cannot be read, or
 * is still being written, counts as held from when this object first saw it.
 *
 * <p>Assumes that clocks of machines differ by much less than the duration of a lease. Where they
 * do not, two collectors may be at work; both delete only what nobody needs.
 */
final class Lease {
  private static final Pattern NAME = Pattern.compile("collector-(\\d{1,18})\\.lease");

  private final Store store;
  private final Clock clock;
  private final Duration duration;
  private final Map<Long, Instant> firstSeen = new HashMap<>();
  private Instant expiry = Instant.EPOCH;

  Lease(Store store, Clock clock, Duration duration) {
    this.store = store;
    this.clock = clock;
    this.duration = duration;
  }

  /** Takes the lease, and gives its number; nothing if somebody else holds it. */
  OptionalLong take() throws IOException {
    long newest = newest();
    if (newest >= 0 && isHeld(newest)) {
      return OptionalLong.empty();
    }
    long number = newest + 1;
    try {
      expiry = clock.now().plus(duration);
      write(number, expiry, Store.Access.CREATE_NEW);
    } catch (FileAlreadyExistsException e) {
      return OptionalLong.empty();
    }
    for (String name : store.list()) {
      if (number(name).filter(other -> other < number).isPresent()) {
        store.delete(name);
      }
    }
    return OptionalLong.of(number);
  }

  /** Whether nobody has taken over the lease that was taken last, and nobody may. */
  boolean isValid(long number) throws IOException {
    return clock.now().isBefore(expiry) && !store.exists(name(number + 1));
  }

  /** Gives the lease back. The file stays, so that numbers go on. */
  void release(long number) throws IOException {
    if (isValid(number)) {
      write(number, Instant.EPOCH, Store.Access.WRITE);
    }
  }

  private long newest() throws IOException {
    List<String> names = store.list();
    return names.stream()
        .flatMap(name -> number(name).stream())
        .mapToLong(Long::longValue)
        .max()
        .orElse(-1);
  }

  private static Optional<Long> number(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches() ? Optional.of(Long.valueOf(matcher.group(1))) : Optional.empty();
  }

  private static String name(long number) {
    return "collector-" + number + ".lease";
  }

  private boolean isHeld(long number) throws IOException {
    Instant now = clock.now();
    Instant until;
    try (StoreFile file = store.open(name(number), Store.Access.READ)) {
      RecordInput in = RecordInput.read(file, store.location(name(number)), 0, 24);
      until = Instant.ofEpochMilli(in.verified("lease").notNegative64("time"));
    } catch (CorruptContainerException e) {
      until = firstSeen.computeIfAbsent(number, _ -> now).plus(duration);
    } catch (NoSuchFileException e) {
      return true; // somebody has just taken over
    }
    return now.isBefore(until);
  }

  private void write(long number, Instant until, Store.Access access) throws IOException {
    try (StoreFile file = store.open(name(number), access)) {
      file.write(0, new RecordOutput().u64(until.toEpochMilli()).checksum().toMemory());
    }
  }
}
