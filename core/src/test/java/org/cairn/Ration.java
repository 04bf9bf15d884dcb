// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.supply.Supply;
import org.cairn.testkit.store.AskingDirectories;
import org.cairn.testkit.store.AskingStore;
import org.jspecify.annotations.Nullable;

/**
 * Counts everything that can fail and lets the n-th of it do so, alone or with all that follow:
 * memory, threads, random bits, every call of a store, and the functions of the program.
 */
final class Ration implements Supply.Control, AutoCloseable {
  /** What can fail. */
  enum Thing {
    NATIVE_MEMORY,
    ARRAY,
    THREAD,
    RANDOM,
    STORE,
    PROGRAM
  }

  private final Set<Thing> counted;
  private final List<Throwable> denials = new ArrayList<>();
  private long count;
  private long first = Long.MAX_VALUE;
  private boolean forGood;

  Ration(Set<Thing> counted) {
    this.counted = EnumSet.copyOf(counted);
  }

  /** Fails the n-th from now, counted from 1; and all after it, if {@code forGood}. */
  synchronized void deny(long n, boolean forGood) {
    count = 0;
    first = n;
    this.forGood = forGood;
  }

  /** Everything works again. */
  synchronized void allow() {
    first = Long.MAX_VALUE;
  }

  /** How much was asked for since {@link #deny}. */
  synchronized long count() {
    return count;
  }

  /** Whether anything failed. */
  synchronized boolean hasDenied() {
    return !denials.isEmpty();
  }

  /** What failed. */
  synchronized String denied() {
    return denials.isEmpty() ? "nothing" : String.valueOf(denials.getFirst().getMessage());
  }

  /** Whether an exception tells of something that failed. */
  synchronized boolean explains(Throwable e) {
    return denials.stream().anyMatch(denial -> isIn(denial, e));
  }

  private static boolean isIn(Throwable denial, Throwable e) {
    for (Throwable one = e; one != null; one = one.getCause()) {
      if (one == denial || String.valueOf(one.getMessage()).contains(denial.getMessage())) {
        return true;
      }
      for (Throwable other : one.getSuppressed()) {
        if (isIn(denial, other)) {
          return true;
        }
      }
    }
    return false;
  }

  private <E extends Throwable> void take(Thing thing, Supplier<E> reason) throws E {
    E denial;
    synchronized (this) {
      if (!counted.contains(thing)) {
        return;
      }
      count++;
      if (forGood ? count < first : count != first) {
        return;
      }
      denial = reason.get();
      denials.add(denial);
    }
    throw denial;
  }

  // ---------------------------------------------------------------- what it is asked

  @Override
  public void requested(Supply.Kind kind, long amount) {
    Thing thing = Thing.valueOf(kind.name());
    take(thing, () -> new OutOfMemoryError("denied: %s, %d".formatted(kind, amount)));
  }

  /** A function of the program is called. */
  void called(String function) {
    take(Thing.PROGRAM, () -> new IllegalStateException("denied: " + function));
  }

  /** Random bits, the same in every life. */
  long random(java.util.Random source) {
    take(Thing.RANDOM, () -> new IllegalStateException("denied: random bits"));
    return source.nextLong();
  }

  /** A store every call of which is counted, but that files and locks are given back. */
  Store of(Store store) {
    return new AskingStore(store, this::asked);
  }

  /** The same of directories, whose own calls are not counted. */
  Directories of(Directories directories) {
    return new AskingDirectories(directories, (call, about) -> {}, this::asked);
  }

  private void asked(String call, @Nullable Object about) throws IOException {
    if (!call.equals("close")) {
      Supply.step(call);
      take(Thing.STORE, () -> new IOException("denied: " + call + " " + about));
    }
  }

  @Override
  public void close() {
    Supply.uncontrolled();
  }
}
