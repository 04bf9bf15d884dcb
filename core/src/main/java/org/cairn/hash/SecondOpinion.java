// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.HashAlgorithm;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Is asked before bytes are called damaged because of their digest: computes it again, with code
 * that has nothing in common with what computed it first.
 *
 * <p>A digest comes out wrong where the machine or the JIT compiler miscomputes, and where somebody
 * writes to the bytes while they are hashed. Healthy files would look damaged, and be "mended" or
 * given up. So a digest that is not the expected one is computed a second time; what agrees counts,
 * and a first one that was wrong is told loudly. Where digests are as expected nobody asks, and it
 * costs nothing.
 */
public final class SecondOpinion {
  private static final Logger LOG = LoggerFactory.getLogger(SecondOpinion.class);
  private static final AtomicLong MISCOMPUTED = new AtomicLong();

  private SecondOpinion() {}

  /** How many digests this process has computed of which its twin said that they are wrong. */
  public static long miscomputed() {
    return MISCOMPUTED.get();
  }

  /**
   * Whether a range of memory has the digest that was expected, although another was found.
   *
   * @param foundLow the low half of what was computed first
   * @param foundHigh the high half
   * @param expectedLow the low half of what it should be
   * @param expectedHigh the high half
   */
  public static boolean isIntact(
      HashAlgorithm algorithm,
      MemorySegment data,
      long offset,
      long length,
      long foundLow,
      long foundHigh,
      long expectedLow,
      long expectedHigh) {
    long[] twin = new long[2];
    digest(algorithm, data, offset, length, twin);
    if (twin[0] != foundLow || twin[1] != foundHigh) {
      warn(
          "%s of %d bytes came out as %016x%016x, and as %016x%016x when computed again"
              .formatted(algorithm, length, foundHigh, foundLow, twin[1], twin[0]));
    }
    return twin[0] == expectedLow && twin[1] == expectedHigh;
  }

  /** XXH3-128 by the twin, for what is made of several digests. */
  public static void xxh3(MemorySegment data, long offset, long length, long[] digest) {
    ReferenceXxh3.digest(data, offset, length, digest);
  }

  /** Of the others there is one implementation only, which may do better at a second try. */
  private static void digest(
      HashAlgorithm algorithm, MemorySegment data, long offset, long length, long[] digest) {
    if (algorithm == HashAlgorithm.XXH3_128) {
      ReferenceXxh3.digest(data, offset, length, digest);
    } else if (algorithm == HashAlgorithm.SPOOKY_128) {
      ReferenceSpooky.digest(data, offset, length, 0, digest);
    } else {
      Hashers.of(algorithm).hash(data, offset, length, Math.toIntExact(length), digest, 0);
    }
  }

  /** Counts, and tells of, something that was computed wrong at first. */
  public static void warn(String what) {
    long count = MISCOMPUTED.incrementAndGet();
    // All of the first, then ever fewer: a machine that is broken must not fill the disk too.
    if (Long.bitCount(count) == 1 || count <= 10) {
      LOG.error(
          "THIS MACHINE OR ITS JVM MISCOMPUTES (or memory was written to while it was hashed): {}."
              + " The second result counts; nothing was called damaged because of the first."
              + " It is number {} in this process; what was saved by it deserves no trust before"
              + " `cairn verify` on another machine",
          what,
          count);
    }
  }
}
