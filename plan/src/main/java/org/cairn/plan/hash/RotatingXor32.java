// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The rotating XOR of Ferreira 2011 (listing 7.1): 32 bits, turned by 4 for each byte. Eight bytes
 * turn it once around, and so what changes every element in the same way cancels wherever there is
 * an even number of them. Only the study has it: no file is written with it.
 */
final class RotatingXor32 implements BlockDigests {
  /** Copied before it is hashed, so that one loop serves every kind of memory at one speed. */
  private static final int TILE = 2 << 10;

  @Override
  public void hash(MemorySegment data, long offset, long length, int blockSize, long[] digests) {
    byte[] tile = new byte[TILE];
    int block = 0;
    for (long from = 0; from < length; from += blockSize) {
      long end = Math.min(length, from + blockSize);
      int hash = 0;
      for (long at = from; at < end; at += TILE) {
        int size = (int) Math.min(TILE, end - at);
        MemorySegment.copy(data, ValueLayout.JAVA_BYTE, offset + at, tile, 0, size);
        hash = add(hash, tile, size);
      }
      digests[2 * block] = hash & 0xFFFFFFFFL;
      digests[2 * block + 1] = 0;
      block++;
    }
  }

  private static int add(int hash, byte[] bytes, int size) {
    for (int i = 0; i < size; i++) {
      hash = (hash << 4) ^ (hash >>> 28) ^ (bytes[i] & 0xFF);
    }
    return hash;
  }
}
