// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.cairn.supply.Supply;

/** What is to become of one rank, shared by all communicators it has. */
final class Doom {
  private final int rank;
  private final long seed;
  private final Random random;
  private final TrafficMeter meter;

  private long operations;
  private long left;
  private double probability;
  private long longestDelay;
  private String death = "";
  private final Map<Integer, BooleanSupplier> cuts = new ConcurrentHashMap<>();
  private final Map<Integer, BooleanSupplier> losses = new ConcurrentHashMap<>();

  Doom(int rank, int ranks, long seed) {
    this.rank = rank;
    this.seed = seed;
    // Ranks with the same seed must not all die at the same operation.
    this.random = new Random(new SplittableRandom(seed + 31L * rank).nextLong());
    this.meter = new TrafficMeter(ranks);
  }

  TrafficMeter meter() {
    return meter;
  }

  synchronized long operations() {
    return operations;
  }

  synchronized void killAt(long n) {
    if (n < 1) {
      throw new IllegalArgumentException("operations are counted from 1: " + n);
    }
    left = n;
  }

  synchronized void killAtRandom(double chance) {
    probability = chance;
  }

  synchronized void delay(Duration longest) {
    longestDelay = longest.toNanos();
  }

  void cut(int to, BooleanSupplier isCut) {
    cuts.put(to, isCut);
  }

  boolean isCut(int to) {
    return cuts.getOrDefault(to, () -> false).getAsBoolean();
  }

  void lose(int to, BooleanSupplier isLost) {
    losses.put(to, isLost);
  }

  boolean isLost(int to) {
    return losses.getOrDefault(to, () -> false).getAsBoolean();
  }

  synchronized void checkAlive() {
    if (!death.isEmpty()) {
      throw new Killed(rank, death);
    }
  }

  /** Counts an operation, which may be the last. */
  synchronized void operation(String what) {
    checkAlive();
    operations++;
    // Drawn every time: whether another fault is armed must not shift this one.
    boolean unlucky = random.nextDouble() < probability;
    boolean due = left > 0 && --left == 0;
    if (due || unlucky) {
      death =
          "rank %d was killed at operation %d, %s (seed %d)"
              .formatted(rank, operations, what, seed);
      checkAlive();
    }
  }

  void pause() {
    long nanos = drawDelay();
    long end = Supply.nanos() + nanos;
    while (nanos > 0 && Supply.nanos() < end && !Thread.currentThread().isInterrupted()) {
      Supply.nap(this, end - Supply.nanos()); // whatever comes next takes note of an interrupt
    }
  }

  private synchronized long drawDelay() {
    return longestDelay == 0 ? 0 : random.nextLong(longestDelay + 1);
  }
}
