// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/** Which class computes which algorithm. */
final class Hashers {

  private Hashers() {}

  static BlockHasher create(HashAlgorithm algorithm) {
    return switch (algorithm) {
      case XXH3_128 -> new Xxh3BlockHasher(Xxh3Kernels.chosen());
      case CRC32 ->
          new JdkChecksumBlockHasher(
              CRC32::new, new ChecksumBlockHasher(algorithm, CrcKernel.class, CrcKernel.CRC32));
      case CRC32C ->
          new JdkChecksumBlockHasher(
              CRC32C::new, new ChecksumBlockHasher(algorithm, CrcKernel.class, CrcKernel.CRC32C));
      case MD5 -> new MessageDigestBlockHasher(algorithm, "MD5");
      case SHA_256 -> new MessageDigestBlockHasher(algorithm, "SHA-256");
      case ADLER_32 ->
          new JdkChecksumBlockHasher(
              Adler32::new, new ChecksumBlockHasher(algorithm, AdlerKernel.class));
      case FLETCHER_32_MOD_65535 -> new ChecksumBlockHasher(algorithm, FletcherKernel.class, 65535);
      case FLETCHER_32_MOD_65536 -> new ChecksumBlockHasher(algorithm, FletcherKernel.class, 65536);
      case ROTATING_XOR -> new ChecksumBlockHasher(algorithm, RotatingXorKernel.class);
    };
  }
}
