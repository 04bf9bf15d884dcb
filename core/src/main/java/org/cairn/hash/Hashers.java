// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.HashAlgorithm;

/** Which class computes which algorithm, and which algorithm has which number. */
public final class Hashers {

  static final Map<HashAlgorithm, BlockHasher> HASHERS = new ConcurrentHashMap<>();

  private Hashers() {}

  /**
   * The one hasher of this algorithm, which any number of threads may share: its compiled kernels
   * are those of all who use it.
   */
  public static BlockHasher of(HashAlgorithm algorithm) {
    // Asked once a block: found without the lock that a new one needs.
    BlockHasher hasher = HASHERS.get(algorithm);
    return hasher != null ? hasher : HASHERS.computeIfAbsent(algorithm, Hashers::create);
  }

  private static BlockHasher create(HashAlgorithm algorithm) {
    if (algorithm == HashAlgorithm.XXH3_128) {
      return new KernelBlockHasher(algorithm, Xxh3Kernels.chosen());
    }
    if (algorithm == HashAlgorithm.SPOOKY_128) {
      return new KernelBlockHasher(algorithm, SpookyKernels.chosen());
    }
    if (algorithm == HashAlgorithm.MD5) {
      return new MessageDigestBlockHasher(algorithm, "MD5");
    }
    if (algorithm == HashAlgorithm.SHA_256) {
      return new MessageDigestBlockHasher(algorithm, "SHA-256");
    }
    if (algorithm instanceof WeakHash weak) {
      return weak.newHasher();
    }
    throw new IllegalArgumentException("Nothing here computes the hash algorithm " + algorithm);
  }

  /**
   * The algorithm that files name by this number, weak or not.
   *
   * @throws IllegalArgumentException if no algorithm of this release has it
   */
  public static HashAlgorithm algorithm(int number) {
    List<HashAlgorithm> known = WeakHash.withStrong();
    for (HashAlgorithm algorithm : known) {
      if (algorithm.id() == number) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException(
        "Unknown hash algorithm number "
            + number
            + "; this release knows 1 to "
            + known.size()
            + "; use a newer one");
  }
}
