// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import org.cairn.supply.Supply;
import org.cairn.supply.WarmUp;

/**
 * Keeps kernels out of the way until they are compiled.
 *
 * <p>The Vector API is slow as long as it is interpreted, some hundred times slower than compiled:
 * the first checkpoint of a program would take a second for a few megabytes. Plain access to memory
 * is still seven times slower than it will be. So kernels that copy, {@link TiledXxh3} and {@link
 * TiledSpooky}, work first. Once it has hashed enough of a kind of memory for the difference to
 * matter, a thread of low priority runs the kernel for that kind on memory of its own until it has
 * become fast; from then on it is used. All give the same digests, so nobody notices when. Where it
 * does not become fast the first one goes on until much more was hashed; where there is no compiler
 * that could make it so, for ever.
 */
final class Warmup {
  /**
   * Who hashes less than this will not gain by another kernel. A restart of half as much is over
   * before the compilers, who need the cores too, would be.
   */
  private static final long WORTHWHILE_BYTES = 1L << 30;

  private static final long BYTES_UNTIL_AGAIN = 16L << 30;

  /**
   * A round and a stripe: C2 is asked after so many calls and turns of their loops together, and
   * until then each turn leaves kilobytes of vectors. Blocks of 16 KiB left ten times as much.
   */
  private static final int BLOCK_BYTES = LongXxh3.ROUND + LongXxh3.STRIPE;

  private static final int BLOCKS = 16;
  private static final int SAMPLE_BYTES = BLOCKS * BLOCK_BYTES;

  private static final WarmUp.Goal FAST =
      new WarmUp.Goal(SAMPLE_BYTES, 1.5, 1, 250, Duration.ofSeconds(30));

  /** In longer loops C2 finds that it has to compile them once more. */
  private static final WarmUp.Goal FAST_IN_LONG_LOOPS =
      new WarmUp.Goal(SAMPLE_BYTES, 1.5, 20, 250, Duration.ofSeconds(30));

  private static final int COLD = 0;
  private static final int WARMING = 1;
  private static final int WARM = 2;

  private final Function<MemoryKind, ? extends DigestKernel> kernels;
  private final AtomicIntegerArray states = new AtomicIntegerArray(MemoryKind.values().length);
  private final AtomicLongArray hashed = new AtomicLongArray(MemoryKind.values().length);

  Warmup(Function<MemoryKind, ? extends DigestKernel> kernels) {
    this.kernels = kernels;
  }

  @SuppressWarnings("EnumOrdinal") // a place in an array of this process
  private static int index(MemoryKind kind) {
    return kind.ordinal();
  }

  boolean isWarm(MemoryKind kind) {
    return states.get(index(kind)) == WARM;
  }

  /** Takes note that so many bytes of a kind are about to be hashed. */
  void count(MemoryKind kind, long bytes) {
    int i = index(kind);
    if (WarmUp.isPossible()
        && states.get(i) == COLD
        && hashed.addAndGet(i, bytes) >= WORTHWHILE_BYTES
        && states.compareAndSet(i, COLD, WARMING)) {
      start(kind);
    }
  }

  private void start(MemoryKind kind) {
    if (!WarmUp.start(() -> warm(kind), "cairn-hash-warmup")) {
      states.set(index(kind), COLD); // slower until there are threads again
    }
  }

  private void warm(MemoryKind kind) {
    MemorySegment sample = sample(kind);
    DigestKernel kernel = kernels.apply(kind);
    long[] digests = new long[4];
    if (WarmUp.run(() -> hash(kernel, sample, BLOCKS, digests), FAST)
        && WarmUp.run(() -> hash(kernel, sample, 2, digests), FAST_IN_LONG_LOOPS)) {
      states.set(index(kind), WARM);
    } else {
      // Perhaps the machine had no time for this thread. Another try, when there is more to gain.
      hashed.set(index(kind), -BYTES_UNTIL_AGAIN);
      states.set(index(kind), COLD);
    }
  }

  private static void hash(DigestKernel kernel, MemorySegment sample, int blocks, long[] digests) {
    int length = SAMPLE_BYTES / blocks;
    for (int i = 0; i < blocks; i += 2) {
      kernel.digestPair(sample, (long) i * length, length, digests, 0);
    }
  }

  private static MemorySegment sample(MemoryKind kind) {
    return switch (kind) {
      case BYTES, HIDDEN -> MemorySegment.ofArray(new byte[SAMPLE_BYTES]);
      case SHORTS -> MemorySegment.ofArray(new short[SAMPLE_BYTES / 2]);
      case CHARS -> MemorySegment.ofArray(new char[SAMPLE_BYTES / 2]);
      case INTS -> MemorySegment.ofArray(new int[SAMPLE_BYTES / 4]);
      case FLOATS -> MemorySegment.ofArray(new float[SAMPLE_BYTES / 4]);
      case LONGS -> MemorySegment.ofArray(new long[SAMPLE_BYTES / 8]);
      case DOUBLES -> MemorySegment.ofArray(new double[SAMPLE_BYTES / 8]);
      // Mapped memory has a class of its own in the JDK; it is warmed by use.
      case NATIVE, MAPPED -> Supply.autoArena().allocate(SAMPLE_BYTES, 64);
    };
  }
}
