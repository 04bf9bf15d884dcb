// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The loops that ran, in their order: how many, a digest of all of them, noted every {@link
 * #STRETCH} calls, and the last ones by number.
 */
final class Chain {
  /** How many calls a digest is noted after. */
  static final int STRETCH = 256;

  private static final int RING = 1 << 13;

  private final Log digests = new Log();
  private final int[] ring = new int[RING];
  private long calls;
  private long digest = 0x9E37_79B9_7F4A_7C15L;

  /** A loop was met. Returns whether a digest was noted. */
  boolean next(int loop) {
    ring[(int) (calls & RING - 1)] = loop;
    digest = (digest ^ loop) * 0xD6E8_FEB8_6659_FD93L;
    digest ^= digest >>> 32;
    calls++;
    if ((calls & STRETCH - 1) == 0) {
      digests.append(digest);
      return true;
    }
    return false;
  }

  long calls() {
    return calls;
  }

  long digest() {
    return digest;
  }

  /** The digests that were noted. */
  Log digests() {
    return digests;
  }

  long digestAt(long stretch) {
    return digests.memory().getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, stretch);
  }

  /** The last loops by number, oldest first. */
  int[] last(int most) {
    int count = (int) Math.min(Math.min(calls, RING), most);
    int[] last = new int[count];
    for (int n = 0; n < count; n++) {
      last[n] = ring[(int) (calls - count + n & RING - 1)];
    }
    return last;
  }

  static long digestIn(MemorySegment digests, long stretch) {
    return digests.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, stretch);
  }
}
