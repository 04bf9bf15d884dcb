// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import org.cairn.HashAlgorithm;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hash algorithms of too few bits, for the study of them: a changed block may be taken for clean,
 * and the change be lost. They are no part of the API, so who names one accepts that.
 *
 * <p>Their numbers are those of files that were written with them; such files are read like others.
 */
public final class WeakHash extends HashAlgorithm {
  private static final Logger LOG = LoggerFactory.getLogger(WeakHash.class);

  /** The CRC-32 of zip and Ethernet (polynomial 0x04C11DB7, reflected), as a 32-bit number. */
  public static final WeakHash CRC32 =
      new WeakHash(
          2,
          32,
          "crc32",
          self ->
              new JdkChecksumBlockHasher(
                  java.util.zip.CRC32::new,
                  new ChecksumBlockHasher(self, CrcKernel.class, CrcKernel.CRC32)));

  /** CRC-32C of iSCSI and ext4 (polynomial 0x1EDC6F41, reflected), as a 32-bit number. */
  public static final WeakHash CRC32C =
      new WeakHash(
          3,
          32,
          "crc32c",
          self ->
              new JdkChecksumBlockHasher(
                  java.util.zip.CRC32C::new,
                  new ChecksumBlockHasher(self, CrcKernel.class, CrcKernel.CRC32C)));

  /** Adler-32 of zlib, as a 32-bit number. */
  public static final WeakHash ADLER_32 =
      new WeakHash(
          6,
          32,
          "adler-32",
          self ->
              new JdkChecksumBlockHasher(
                  Adler32::new, new ChecksumBlockHasher(self, AdlerKernel.class)));

  /**
   * Fletcher-32 with modulus 65535 over little-endian 16-bit words, both sums starting at 0; a
   * block of odd length is padded with a zero byte. The second sum is the upper half of the digest.
   */
  public static final WeakHash FLETCHER_32_MOD_65535 =
      new WeakHash(
          7,
          32,
          "fletcher-32-mod-65535",
          self -> new ChecksumBlockHasher(self, FletcherKernel.class, 65535));

  /** As {@link #FLETCHER_32_MOD_65535}, but with modulus 65536. */
  public static final WeakHash FLETCHER_32_MOD_65536 =
      new WeakHash(
          8,
          32,
          "fletcher-32-mod-65536",
          self -> new ChecksumBlockHasher(self, FletcherKernel.class, 65536));

  /**
   * Rotating XOR of 64 bits: starting at 0, {@code h = rotateLeft(h, 1) ^ word} for each
   * little-endian 64-bit word; a block whose length is no multiple of 8 is padded with zero bytes.
   */
  public static final WeakHash ROTATING_XOR =
      new WeakHash(
          9, 64, "rotating-xor", self -> new ChecksumBlockHasher(self, RotatingXorKernel.class));

  private static final List<HashAlgorithm> WITH_STRONG =
      Stream.concat(
              HashAlgorithm.values().stream(),
              Stream.of(
                  CRC32,
                  CRC32C,
                  ADLER_32,
                  FLETCHER_32_MOD_65535,
                  FLETCHER_32_MOD_65536,
                  ROTATING_XOR))
          .sorted(Comparator.comparingInt(HashAlgorithm::id))
          .toList();

  private final Function<WeakHash, BlockHasher> hasher;

  private WeakHash(int id, int bits, String label, Function<WeakHash, BlockHasher> hasher) {
    super(id, bits, label);
    this.hasher = hasher;
  }

  BlockHasher newHasher() {
    return hasher.apply(this);
  }

  /** All algorithms, those on offer and the weak ones, by their numbers. */
  public static List<HashAlgorithm> withStrong() {
    return WITH_STRONG;
  }

  /**
   * The algorithm with this label, weak or not.
   *
   * @throws IllegalArgumentException if there is none, naming those there are
   */
  public static HashAlgorithm parseAny(String label) {
    for (HashAlgorithm algorithm : WITH_STRONG) {
      if (algorithm.label().equalsIgnoreCase(label)) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException(
        "Unknown hash algorithm \"" + label + "\"; known are " + WITH_STRONG);
  }

  /** Says what may be lost, if the algorithm is a weak one. */
  public static void warnIfWeak(HashAlgorithm algorithm, String where) {
    if (algorithm.weak()) {
      LOG.warn(
          "{}: {} is weak ({} bits); a changed block may be taken for clean and be lost",
          where,
          algorithm.label(),
          algorithm.bits());
    }
  }
}
