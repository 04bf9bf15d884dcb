// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

/**
 * Whether the page cache takes large pieces as fast as memory is copied, as it does where memory is
 * at hand: then the system writes them out while the program goes on. Where it first has to get
 * memory (from the host of a virtual machine, from other files, within the limit of a container),
 * or makes writers wait for the disk, it is passed for a while, and tried again later.
 */
final class CacheSpeed {
  /** Copying reaches several times as much, and disks may reach this. */
  private static final long SLOW_BYTES_PER_SECOND = 1_000_000_000;

  /** So much goes past the cache before it is tried again; twice as much each time it is slow. */
  private static final long FIRST_DETOUR = 64L << 20;

  private static final long LONGEST_DETOUR = 1L << 30;

  private long detour = FIRST_DETOUR;
  private long left;

  /** Whether the next bytes are to go past the cache. */
  synchronized boolean isSlow() {
    return left > 0;
  }

  /** So many bytes went past it. */
  synchronized void passed(long bytes) {
    left = Math.max(0, left - bytes);
  }

  /** So many bytes went through it. */
  synchronized void took(long bytes, long nanos) {
    if ((double) bytes * 1_000_000_000L < (double) nanos * SLOW_BYTES_PER_SECOND) {
      left = detour;
      detour = Math.min(2 * detour, LONGEST_DETOUR);
    } else {
      detour = FIRST_DETOUR;
    }
  }
}
