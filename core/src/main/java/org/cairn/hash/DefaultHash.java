// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import org.cairn.HashAlgorithm;

/**
 * The algorithm that new datasets take where nobody chose one. A table by features of the processor
 * says it, not a timing: equal machines give equal answers, however busy they are.
 *
 * <table>
 * <caption>What the table names</caption>
 * <tr><th>processor</th><th>vectors that Java may use</th><th>algorithm</th></tr>
 * <tr><td>aarch64</td><td>none, or of 128 bits (NEON)</td><td>SpookyHash</td></tr>
 * <tr><td>aarch64</td><td>longer ones (SVE)</td><td>XXH3</td></tr>
 * <tr><td>all others</td><td>any</td><td>XXH3</td></tr>
 * </table>
 *
 * <p>See {@code docs/design/hashing.md} for why.
 */
public final class DefaultHash {
  /** The system property that forces the answer, by the label of an algorithm. */
  public static final String PROPERTY = "cairn.hash.default";

  private DefaultHash() {}

  /**
   * What the table says of this machine.
   *
   * @throws IllegalArgumentException if {@value #PROPERTY} names no algorithm
   */
  public static HashAlgorithm here() {
    return Here.ALGORITHM;
  }

  private static final class Here {
    static final HashAlgorithm ALGORITHM = choose(System.getProperty(PROPERTY, ""));

    private static HashAlgorithm choose(String forced) {
      String processor = System.getProperty("os.arch");
      return forced.isEmpty()
          ? of(processor, isArm(processor) ? HashPath.vectorBits() : 0)
          : HashAlgorithm.parse(forced);
    }
  }

  /**
   * What the table says.
   *
   * @param processor as {@code os.arch} has it
   * @param bits how long the vectors are that Java may use; 0 if it may not
   */
  static HashAlgorithm of(String processor, int bits) {
    return isArm(processor) && bits <= 128 ? HashAlgorithm.SPOOKY_128 : HashAlgorithm.XXH3_128;
  }

  private static boolean isArm(String processor) {
    return processor.equals("aarch64");
  }

  /** Whether the table of some machine names it, so that a dataset may have it unasked. */
  public static boolean names(HashAlgorithm algorithm) {
    return algorithm == HashAlgorithm.XXH3_128 || algorithm == HashAlgorithm.SPOOKY_128;
  }
}
