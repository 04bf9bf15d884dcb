// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.store.Store;
import org.cairn.supply.Mutex;
import org.cairn.version.JobId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to write and to delete what belongs to a job in a shared directory: what the locks of
 * local directories are, for a place where no lock can be trusted.
 *
 * <p>Assumes that
 *
 * <ol>
 *   <li>of several that create a file of one name, one succeeds;
 *   <li>whoever holds a lease calls {@link #renew} far more often than once in the time that it may
 *       rest, unless it is dead or cut off.
 * </ol>
 *
 * <p>Guarantees that
 *
 * <ol>
 *   <li>nobody takes a lease that changes while one watches. Clocks of machines are never compared:
 *       a rest is measured with the clock of who watches;
 *   <li>a lease that was given back is taken at once, and also one of a holder whose own container
 *       is the very one that the caller has locked: it must be dead;
 *   <li>a holder that was taken over finds out at its next {@link #renew} or {@link #requireHeld},
 *       and for ever.
 * </ol>
 *
 * <p>It cannot guarantee that a holder which was taken over writes nothing in the moment before it
 * finds out. That does no harm: all names carry the run, and the new holder has another.
 *
 * <p>Leases are numbered, and the largest number counts. Taking over means to create the next,
 * which one of several can do; deleting a file and making it anew would let a slow process delete,
 * or write over, the lease of a quick one. A holder writes only to the file of its own number.
 *
 * <p>Safe for use by many threads.
 */
final class Lease {
  private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

  /** How often a lease is renewed while it might rest. */
  static final int RENEWALS = 12;

  private static final int LOOKS = 5 * RENEWALS;

  private final Mutex mutex = new Mutex();
  private final Store store;
  private final Clock clock;
  private final JobId job;
  private final Duration rest;

  // Guarded by this.
  private LeaseRecord mine;
  private long number = -1;
  private @Nullable String lost;

  /**
   * A lease that is not held yet.
   *
   * @param rest how long a lease may stay unchanged before somebody takes it
   * @param token random bits
   * @param container where the container lies whose local lock the caller has
   */
  Lease(
      Store store,
      Clock clock,
      JobId job,
      Duration rest,
      long token,
      String host,
      String container) {
    this.store = store;
    this.clock = clock;
    this.job = job;
    this.rest = rest;
    this.mine =
        new LeaseRecord(
            token,
            0,
            false,
            host,
            ProcessHandle.current().pid(),
            container,
            rest.dividedBy(RENEWALS));
  }

  JobId job() {
    return job;
  }

  /** How often it has to be renewed. */
  Duration period() {
    return mine().period();
  }

  private LeaseRecord mine() {
    try (Mutex.Held _ = mutex.hold()) {
      return mine;
    }
  }

  // ---------------------------------------------------------------- taking it

  /** What is watched: a file, what was in it, and since when. */
  private record Watched(long number, byte[] bytes, long since) {
    boolean isSame(long otherNumber, byte[] otherBytes) {
      return number == otherNumber && Arrays.equals(bytes, otherBytes);
    }
  }

  /**
   * Takes the lease, and waits for that as long as it takes.
   *
   * @return whether it had to wait: then others may have written in the meantime
   */
  boolean acquire() throws IOException {
    return acquire(true).orElseThrow();
  }

  /**
   * Takes the lease unless somebody renews it, which is watched for as long as it may rest.
   *
   * @return whether it is held now
   */
  boolean acquireUnlessHeld() throws IOException {
    return acquire(false).isPresent();
  }

  private Optional<Boolean> acquire(boolean patient) throws IOException {
    Watched watched = null;
    boolean waited = false;
    long told = 0;
    while (true) {
      long newest = newest();
      byte[] bytes = newest < 0 ? new byte[0] : contents(newest);
      Optional<LeaseRecord> holder = LeaseRecord.parse(bytes, location(newest));
      long now = clock.nanos();
      boolean free = newest < 0 || holder.filter(this::isFree).isPresent();
      if (watched == null || !watched.isSame(newest, bytes)) {
        if (watched != null && !patient && !free) {
          return Optional.empty();
        }
        watched = new Watched(newest, bytes, now);
      }
      Duration rested = Duration.ofNanos(now - watched.since);
      if (free || rested.compareTo(restOf(holder)) >= 0) {
        if (take(newest + 1)) {
          return Optional.of(waited);
        }
        waited = true; // somebody else was quicker, and may have written since
        Lookout.pause(clock, rest.dividedBy(LOOKS)); // and may not be seen here for a while
        continue;
      }
      if (!waited || now - told >= rest.dividedBy(RENEWALS).toNanos()) {
        LOG.warn(
            "waiting for {}, held by {}: unchanged for {} s, taken over after {} s",
            location(newest),
            holder.map(LeaseRecord::describe).orElse("somebody"),
            rested.toSeconds(),
            restOf(holder).toSeconds());
        told = now;
      }
      waited = true;
      Lookout.pause(clock, rest.dividedBy(LOOKS));
    }
  }

  private boolean isFree(LeaseRecord holder) {
    LeaseRecord own = mine();
    return holder.givenBack() || holder.isOfContainer(own.host(), own.container());
  }

  /** A holder that renews more slowly than we would is given its own time. */
  private Duration restOf(Optional<LeaseRecord> holder) {
    Duration theirs =
        holder.map(record -> record.period().multipliedBy(RENEWALS)).orElse(Duration.ZERO);
    return theirs.compareTo(rest) > 0 ? theirs : rest;
  }

  /** Whether nobody else was quicker. */
  private boolean take(long next) throws IOException {
    LeaseRecord record = mine();
    try {
      LeaseFiles.create(store, name(next), record.toBytes());
    } catch (FileAlreadyExistsException e) {
      return false;
    }
    try (Mutex.Held _ = mutex.hold()) {
      number = next;
      lost = null;
    }
    for (SharedNames.LeaseName other : all()) {
      if (other.number() < next) {
        store.delete(other.name());
      }
    }
    return true;
  }

  private List<SharedNames.LeaseName> all() throws IOException {
    return store.list().stream()
        .flatMap(name -> SharedNames.lease(name).stream())
        .filter(lease -> lease.job().equals(job))
        .toList();
  }

  private long newest() throws IOException {
    return all().stream().mapToLong(SharedNames.LeaseName::number).max().orElse(-1);
  }

  private String name(long ofNumber) {
    return new SharedNames.LeaseName(job, ofNumber).name();
  }

  private String location(long ofNumber) {
    return ofNumber < 0 ? "the lease of job " + job.brief() : store.location(name(ofNumber));
  }

  /** What is in a lease; nothing if it has just gone. */
  private byte[] contents(long ofNumber) throws IOException {
    try {
      return LeaseFiles.read(store, name(ofNumber));
    } catch (NoSuchFileException e) {
      return new byte[0];
    }
  }

  // ---------------------------------------------------------------- holding it

  /** Shows that the holder is alive, unless somebody has taken over. */
  void renew() throws IOException {
    if (isHeld()) {
      try (Mutex.Held _ = mutex.hold()) {
        mine = mine.renewed();
        overwrite();
      }
    }
  }

  private void overwrite() throws IOException {
    try {
      LeaseFiles.overwrite(store, name(number), mine.toBytes());
    } catch (NoSuchFileException e) {
      lost = "somebody took over " + location(number);
    }
  }

  /** Whether it was taken and nobody has taken over; looks into the directory. */
  boolean isHeld() throws IOException {
    long own;
    long token;
    try (Mutex.Held _ = mutex.hold()) {
      own = number;
      token = mine.token();
      if (own < 0 || lost != null) {
        return false;
      }
    }
    boolean held = isOurs(own, token) && !store.exists(name(own + 1));
    if (!held) {
      String taker = describeHolder();
      try (Mutex.Held _ = mutex.hold()) {
        lost = "%s was taken over by %s".formatted(location(own), taker);
      }
    }
    return held;
  }

  /** Our own file may be read while it is written: that is no reason to give up. */
  private boolean isOurs(long ofNumber, long token) throws IOException {
    try {
      byte[] bytes = LeaseFiles.read(store, name(ofNumber));
      return LeaseRecord.parse(bytes, location(ofNumber))
          .filter(found -> found.token() != token)
          .isEmpty();
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private String describeHolder() throws IOException {
    long newest = newest();
    return (newest < 0
            ? Optional.<LeaseRecord>empty()
            : LeaseRecord.parse(contents(newest), location(newest)))
        .map(LeaseRecord::describe)
        .orElse("somebody who is not known");
  }

  /**
   * Refuses to go on without the lease.
   *
   * @throws IOException if it is lost; the message says to whom
   */
  void requireHeld() throws IOException {
    if (!isHeld()) {
      throw new IOException(
          "%s: this run writes nothing to the shared directory any more, and deletes nothing; another run of job %s goes on there. End one of the two"
              .formatted(reason(), job.brief()));
    }
  }

  private String reason() {
    try (Mutex.Held _ = mutex.hold()) {
      String known = lost;
      return known == null ? "the lease of job " + job.brief() + " is not held" : known;
    }
  }

  /** Whether it is known to be lost; does not look. */
  boolean isLost() {
    try (Mutex.Held _ = mutex.hold()) {
      return lost != null;
    }
  }

  /** Gives the lease back. The file stays, so that numbers go on. */
  void release() throws IOException {
    if (isHeld()) {
      try (Mutex.Held _ = mutex.hold()) {
        mine = mine.returned();
        overwrite();
        number = -1;
      }
    }
  }
}
