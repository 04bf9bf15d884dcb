// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The block digests on offer, with the numbers under which files name them.
 *
 * <p>{@link #XXH3_128} is the default. The {@linkplain #weak() weak} ones exist for comparison with
 * other systems and for users who know their data: they must not decide that a block is clean
 * unless the user accepts that.
 */
public enum HashAlgorithm {
  /** XXH3 with 128 bits and seed 0, as published with xxHash 0.8. Not cryptographic. */
  XXH3_128(1, 128, false, "xxh3-128"),

  /** The CRC-32 of zip and Ethernet (polynomial 0x04C11DB7, reflected), as a 32-bit number. */
  CRC32(2, 32, true, "crc32"),

  /** CRC-32C of iSCSI and ext4 (polynomial 0x1EDC6F41, reflected), as a 32-bit number. */
  CRC32C(3, 32, true, "crc32c"),

  /**
   * MD5, all 128 bits. Collisions can be forged, but do not happen by chance; it serves where
   * changes are not made by an adversary, which is why it does not count as weak.
   */
  MD5(4, 128, false, "md5"),

  /** SHA-256 truncated to its first 128 bits. */
  SHA_256(5, 128, false, "sha-256"),

  /** Adler-32 of zlib, as a 32-bit number. */
  ADLER_32(6, 32, true, "adler-32"),

  /**
   * Fletcher-32 with modulus 65535 over little-endian 16-bit words, both sums starting at 0; a
   * block of odd length is padded with a zero byte. The second sum is the upper half of the digest.
   */
  FLETCHER_32_MOD_65535(7, 32, true, "fletcher-32-mod-65535"),

  /** As {@link #FLETCHER_32_MOD_65535}, but with modulus 65536. */
  FLETCHER_32_MOD_65536(8, 32, true, "fletcher-32-mod-65536"),

  /**
   * Rotating XOR of 64 bits: starting at 0, {@code h = rotateLeft(h, 1) ^ word} for each
   * little-endian 64-bit word; a block whose length is no multiple of 8 is padded with zero bytes.
   */
  ROTATING_XOR(9, 64, true, "rotating-xor");

  private final int id;
  private final int bits;
  private final boolean weak;
  private final String label;
  private @Nullable BlockHasher hasher;

  HashAlgorithm(int id, int bits, boolean weak, String label) {
    this.id = id;
    this.bits = bits;
    this.weak = weak;
    this.label = label;
  }

  /** The number that stands for this algorithm in files: at least 1, fits a byte, never reused. */
  public int id() {
    return id;
  }

  /** How many bits of a stored digest carry information; at most 128. */
  public int bits() {
    return bits;
  }

  /**
   * Whether equal digests say too little: fewer than 128 bits, or known to collide on changes that
   * simulations make. Such a digest must not decide "clean" unless the user accepts it.
   */
  public boolean weak() {
    return weak;
  }

  /** The name shown to users, such as {@code xxh3-128}; {@link #parse} reads it. */
  public String label() {
    return label;
  }

  /** The hasher for this algorithm, which any number of threads may share. */
  public synchronized BlockHasher hasher() {
    if (hasher == null) {
      hasher = Hashers.create(this);
    }
    return hasher;
  }

  /**
   * The algorithm with this number.
   *
   * @throws IllegalArgumentException if no algorithm of this release has it
   */
  public static HashAlgorithm of(int id) {
    for (HashAlgorithm algorithm : values()) {
      if (algorithm.id == id) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException(
        "Unknown hash algorithm number " + id + "; this release knows 1 to " + values().length);
  }

  /**
   * The algorithm with this label or constant name, whatever its case; {@code -}, {@code _} and
   * spaces do not count.
   *
   * @throws IllegalArgumentException if there is none, naming those there are
   */
  public static HashAlgorithm parse(String name) {
    for (HashAlgorithm algorithm : values()) {
      if (simplified(algorithm.label).equals(simplified(name))) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException(
        "Unknown hash algorithm \""
            + name
            + "\"; known are "
            + Arrays.stream(values()).map(HashAlgorithm::label).collect(Collectors.joining(", ")));
  }

  private static String simplified(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[-_ ]", "");
  }
}
