// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.HashAlgorithm;
import org.cairn.hash.Hashers;

/** Blocks in which every byte is zero: they are not stored, only noted. */
public final class Zeros {
  private static final MemorySegment ZEROS = Arena.global().allocate(VersionFormat.MAX_BLOCK, 64);

  private record Key(HashAlgorithm algorithm, int length) {}

  private static final ConcurrentHashMap<Key, long[]> DIGESTS = new ConcurrentHashMap<>();

  private Zeros() {}

  /** So many zeros. */
  public static MemorySegment ofLength(int length) {
    return ZEROS.asSlice(0, length);
  }

  /** Whether all bytes of a block are zero. */
  public static boolean isZero(MemorySegment memory, long offset, int length) {
    // Nearly every block that is not zero says so in its first or last byte, or soon after.
    if (memory.get(ValueLayout.JAVA_BYTE, offset + length - 1) != 0
        || memory.get(ValueLayout.JAVA_BYTE, offset) != 0) {
      return false;
    }
    return MemorySegment.mismatch(memory, offset, offset + length, ZEROS, 0, length) < 0;
  }

  /** Puts the digest of a block of zeros into {@code digest}. */
  public static void digest(HashAlgorithm algorithm, int length, long[] digest) {
    long[] known = DIGESTS.computeIfAbsent(new Key(algorithm, length), Zeros::compute);
    digest[0] = known[0];
    digest[1] = known[1];
  }

  private static long[] compute(Key key) {
    long[] digest = new long[2];
    Hashers.of(key.algorithm).hash(ZEROS, 0, key.length, key.length, digest, 0);
    return digest;
  }
}
