// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import org.cairn.HashAlgorithm;
import org.cairn.hash.WeakHash;

/** Which kernel of {@code cairn.cu} is for what, and how many threads of it a block gets. */
enum Kernels {
  XXH3_TINY("cairn_xxh3_tiny", 1),
  XXH3_1("cairn_xxh3_1", 4),
  XXH3_1U("cairn_xxh3_1u", 4),
  XXH3_2("cairn_xxh3_2", 8),
  XXH3_4("cairn_xxh3_4", 16),
  XXH3_8("cairn_xxh3_8", 32),
  XXH3_8U("cairn_xxh3_8u", 32),
  ROTATING_XOR("cairn_rotating_xor", 32),
  ADLER("cairn_adler", 32),
  CRC32("cairn_crc32", 1),
  MD5("cairn_md5", 1),
  SHA_256("cairn_sha256", 1),
  GATHER_8("cairn_gather_8", 8),
  GATHER_32("cairn_gather_32", 32),
  GATHER_32U("cairn_gather_32u", 32);

  /** Of XXH3: from so many bytes on rounds are summed side by side. */
  private static final int SHORT = 240;

  private final String symbol;
  private final int threads;

  Kernels(String symbol, int threads) {
    this.symbol = symbol;
    this.threads = threads;
  }

  /** Its name in the PTX text. */
  String symbol() {
    return symbol;
  }

  /** How many threads of the device have one block. */
  int threads() {
    return threads;
  }

  static boolean computes(HashAlgorithm algorithm) {
    return algorithm == HashAlgorithm.XXH3_128
        || algorithm == HashAlgorithm.MD5
        || algorithm == HashAlgorithm.SHA_256
        || algorithm == WeakHash.CRC32
        || algorithm == WeakHash.ADLER_32
        || algorithm == WeakHash.ROTATING_XOR;
  }

  /** For the digests of blocks that begin at this address. */
  static Kernels of(HashAlgorithm algorithm, long pointer, int blockSize) {
    if (algorithm == HashAlgorithm.XXH3_128) {
      return isAligned(pointer, blockSize) ? aligned(blockSize) : unaligned(blockSize);
    }
    if (algorithm == HashAlgorithm.MD5) {
      return MD5;
    }
    if (algorithm == HashAlgorithm.SHA_256) {
      return SHA_256;
    }
    if (algorithm == WeakHash.CRC32) {
      return CRC32;
    }
    if (algorithm == WeakHash.ADLER_32) {
      return ADLER;
    }
    if (algorithm == WeakHash.ROTATING_XOR) {
      return ROTATING_XOR;
    }
    throw new IllegalArgumentException("no kernel computes " + algorithm);
  }

  private static Kernels aligned(int blockSize) {
    if (blockSize <= SHORT) {
      return XXH3_TINY;
    }
    if (blockSize < 2048) {
      return XXH3_1;
    }
    if (blockSize < 4096) {
      return XXH3_2;
    }
    return blockSize < 8192 ? XXH3_4 : XXH3_8;
  }

  private static Kernels unaligned(int blockSize) {
    if (blockSize <= SHORT) {
      return XXH3_TINY;
    }
    return blockSize < 4096 ? XXH3_1U : XXH3_8U;
  }

  /** For copies of blocks that begin at this address. */
  static Kernels gathering(long pointer, int blockSize) {
    if (!isAligned(pointer, blockSize)) {
      return GATHER_32U;
    }
    return blockSize < 512 ? GATHER_8 : GATHER_32;
  }

  private static boolean isAligned(long pointer, int blockSize) {
    return pointer % 16 == 0 && blockSize % 16 == 0;
  }
}
