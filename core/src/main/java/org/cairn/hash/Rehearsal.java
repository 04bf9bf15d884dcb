// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.HashAlgorithm;
import org.cairn.supply.Supply;
import org.cairn.supply.WarmUp;

/**
 * Has the kernel compiled with which a process that has just begun hashes, while it opens what it
 * will restart from, or finds that there is nothing.
 *
 * <p>The second compiler takes some ten milliseconds for it, with other work before. All threads
 * that hash meanwhile run code with counters, several times slower, and have the cores that the
 * compiler wants. So a thread hashes a few megabytes of its own as soon as it is known that there
 * is much.
 */
public final class Rehearsal {
  /** Who will hash less does without. */
  private static final long WORTHWHILE_BYTES = 64L << 20;

  /** With fewer the compiler takes one from those who open. */
  private static final int PROCESSORS_TO_SPARE = 4;

  private static final int SAMPLE_BYTES = 16 << 10;

  /** Only compiled code is that fast; where it is not soon, the restart itself has begun. */
  private static final WarmUp.Goal FAST =
      new WarmUp.Goal(SAMPLE_BYTES, 1.8, 3, Integer.MAX_VALUE, Duration.ofMillis(500));

  private static final AtomicBoolean BEGUN = new AtomicBoolean();

  private Rehearsal() {}

  /** Begins, if so many bytes are worth it and nobody has yet. */
  public static void begin(long bytes) {
    if (bytes >= WORTHWHILE_BYTES && WarmUp.isPossible() && BEGUN.compareAndSet(false, true)) {
      WarmUp.start(Rehearsal::run, "cairn-hash-rehearsal");
    }
  }

  /**
   * Begins where there are processors to spare: of a program that is at its beginning nobody knows
   * yet how much it will save.
   */
  public static void beginUnasked() {
    if (Runtime.getRuntime().availableProcessors() >= PROCESSORS_TO_SPARE) {
      begin(WORTHWHILE_BYTES);
    }
  }

  private static void run() {
    try {
      boolean spooky = DefaultHash.here().equals(HashAlgorithm.SPOOKY_128);
      DigestKernels kernels = spooky ? SpookyKernels.chosen() : Xxh3Kernels.chosen();
      kernels.cold().ifPresent(Rehearsal::rehearse);
    } catch (OutOfMemoryError e) {
      return; // the restart will say so itself where that matters
    }
  }

  private static void rehearse(DigestKernel kernel) {
    // As blocks come from a file: outside of the heap.
    MemorySegment sample = Supply.autoArena().allocate(SAMPLE_BYTES, 64);
    long[] digest = new long[2];
    WarmUp.run(() -> kernel.digest(sample, 0, SAMPLE_BYTES, digest, 0), FAST);
  }
}
