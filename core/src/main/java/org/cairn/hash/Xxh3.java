// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.cairn.HashAlgorithm;

/**
 * XXH3 with 128 bits, seed 0 and the default secret, of one range of memory: the checksum of
 * metadata.
 *
 * <p>Bit-exact with {@code XXH3_128bits} of xxHash 0.8: the low half here is {@code low64} there.
 * For blocks of data use {@link HashAlgorithm#XXH3_128}, which gives the same digests faster where
 * there are many.
 */
public final class Xxh3 {

  private Xxh3() {}

  /**
   * Writes the digest of {@code data[offset, offset + length)} to {@code digests[2 * at]} (low
   * half) and {@code digests[2 * at + 1]} (high half). A length of zero is allowed and has a
   * digest.
   */
  public static void digest(MemorySegment data, long offset, long length, long[] digests, int at) {
    Objects.checkFromIndexSize(offset, length, data.byteSize());
    Objects.checkIndex(at, digests.length / 2);
    Xxh3Kernels.chosen()
        .kernel(MemoryKind.of(data), length)
        .digest(data, offset, length, digests, at);
  }
}
