// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * Memory that the processor hashes where it lies.
 *
 * @param name of the kind of memory
 * @param memory all of it
 */
record ProcessorPlace(String name, MemorySegment memory) implements Place {
  /** Hashed in one call: its digests, of the smallest blocks too, stay in the cache. */
  private static final int TILE = 1 << 20;

  /** Smooth with a little noise, as of a simulation. */
  static void fill(MemorySegment memory) {
    SplittableRandom random = new SplittableRandom(1);
    for (long i = 0; i < memory.byteSize() / Double.BYTES; i++) {
      double value = Math.fma(0.01, random.nextDouble(), (double) (i & 4095));
      memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
    }
  }

  @Override
  public boolean usesThreads() {
    return true;
  }

  @Override
  public boolean computes(StudiedHash hash) {
    return true;
  }

  @Override
  public long bytes() {
    return memory.byteSize();
  }

  @Override
  public void hash(StudiedHash hash, int block, int thread, int threads) {
    int tile = Math.ceilDiv(TILE, block) * block;
    long[] digests = new long[2 * (tile / block)];
    for (long at = (long) thread * tile; at < bytes(); at += (long) threads * tile) {
      hash.hash(memory, at, Math.min(tile, bytes() - at), block, digests);
    }
  }
}
