// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.cairn.supply.Supply;
import org.cairn.supply.WarmUp;

/**
 * A vector kernel that stays out of the way until it is compiled.
 *
 * <p>The Vector API is slow as long as it is interpreted, some hundred times slower than compiled.
 * So the plain twin works first. Once it has seen enough bytes for the difference to matter, a
 * thread of low priority runs the vector kernel on memory of its own until it has become fast; from
 * then on it is used. Both give the same bytes, so nobody notices when.
 */
final class WarmedKernel implements Kernel {
  /** Who computes less than this will not gain by vectors. */
  private static final long WORTHWHILE_BYTES = 1L << 20;

  private static final int SAMPLE_BYTES = 4 << 10;

  private static final WarmUp.Goal FAST =
      new WarmUp.Goal(SAMPLE_BYTES, 0.4, 200, 500, Duration.ofMinutes(2));

  private final Shape shape;
  private final Kernel plain;
  private final Kernel vector;
  private final LongAdder bytes = new LongAdder();
  private final AtomicBoolean warming = new AtomicBoolean();
  private volatile boolean warm;

  WarmedKernel(Shape shape, Kernel plain, Kernel vector) {
    this.shape = shape;
    this.plain = plain;
    this.vector = vector;
  }

  @Override
  public void run(MemorySegment[] memory, long offset, int length, Coefficients coefficients) {
    if (warm) {
      vector.run(memory, offset, length, coefficients);
      return;
    }
    plain.run(memory, offset, length, coefficients);
    bytes.add(length);
    if (WarmUp.isPossible()
        && bytes.sum() >= WORTHWHILE_BYTES
        && warming.compareAndSet(false, true)) {
      start();
    }
  }

  private void start() {
    if (!WarmUp.start(this::warm, "cairn-erasure-warmup")) {
      warming.set(false); // slower until there are threads again
    }
  }

  /** Leaves it at the plain twin where the vectors do not become fast. */
  private void warm() {
    // Memory that all threads may use, as the kernel will be given: see Combination.
    Arena arena = Supply.autoArena();
    MemorySegment[] memory = new MemorySegment[Shape.MAX_SOURCES + shape.targets()];
    Arrays.setAll(memory, _ -> arena.allocate(SAMPLE_BYTES, 64));
    Coefficients coefficients = Coefficients.of(new int[shape.dots()][shape.sources()]);
    warm = WarmUp.run(() -> vector.run(memory, 0, SAMPLE_BYTES, coefficients), FAST);
  }
}
