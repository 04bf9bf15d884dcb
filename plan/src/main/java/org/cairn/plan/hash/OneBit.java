// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.math.BigInteger;

/**
 * How likely a checksum of two sums misses that the last bit of <em>every</em> element of a block
 * was flipped, exactly.
 *
 * <p>A bit of random data that is flipped changes its element by +1 or −1, with equal chance. The
 * first sum, over all elements, misses the change if there are as many of the one as of the other.
 * The second weighs an element with its distance from the end of the block: 8 times its number for
 * Adler-32, which sums bytes, and 4 times for Fletcher-32, which sums words of 16 bits. So what is
 * to be counted are the sets S of half of the numbers 1 to n whose sum is that of the others, up to
 * multiples of the modulus.
 *
 * <p>Going through all states of both sums would take n² times the modulus of steps, 10^12 for 32
 * KiB. But the sets of j of the numbers 1 to n, by their sums, are the coefficients of {@code
 * q^(j(j+1)/2) [n over j]}, a Gaussian binomial; and every so-many-th coefficient of a polynomial
 * is the mean of its values at roots of unity. At a root of order d > n the binomial is a product
 * of j quotients of sines; at others, which a modulus that is no prime has, the part of n that is a
 * multiple of d gives an ordinary binomial (the q-Lucas theorem).
 */
final class OneBit {
  private final int elements;
  private final int modulus;
  private final long target;

  /** Logarithms of 2 sin(π k / modulus). */
  private final double[] logSine;

  private OneBit(int elements, int modulus, long target) {
    this.elements = elements;
    this.modulus = modulus;
    this.target = target;
    logSine = new double[modulus];
    for (int k = 1; k < modulus; k++) {
      logSine[k] = Math.log(2 * Math.sin(Math.PI * k / modulus));
    }
  }

  /**
   * The chance that both sums stay the same.
   *
   * @param elements how many elements a block has; fewer than the modulus
   * @param step by how much the weight of an element exceeds that of the next
   * @param modulus of both sums
   */
  static double chance(int elements, int step, int modulus) {
    if (elements < 1 || elements >= modulus) {
      throw new IllegalArgumentException(
          "there are %d elements; it can be counted for 1 to %d".formatted(elements, modulus - 1));
    }
    if (elements % 2 == 1) {
      return 0; // never as many +1 as −1
    }
    // Twice the sum of S is that of all numbers, to this modulus.
    long all = elements * (elements + 1L) / 2;
    int reduced = modulus / BigInteger.valueOf(step).gcd(BigInteger.valueOf(modulus)).intValue();
    if (reduced % 2 == 1) {
      return new OneBit(elements, reduced, all * ((reduced + 1L) / 2) % reduced).chance();
    }
    if (all % 2 == 1) {
      return 0; // twice a sum is even
    }
    return new OneBit(elements, reduced / 2, all / 2 % (reduced / 2)).chance();
  }

  private double chance() {
    double sum = term(0);
    for (int t = 1; t <= modulus / 2; t++) {
      // A root and its conjugate have the same real part.
      sum += 2 * t == modulus ? term(t) : 2 * term(t);
    }
    return Math.max(0, sum / modulus);
  }

  /** The real part of the generating function at a root of unity; imaginary parts cancel. */
  private double term(int t) {
    int order = modulus / gcd(t, modulus);
    int whole = elements / order;
    int rest = elements % order;
    int half = elements / 2;
    int taken = half % order;
    if (taken > rest) {
      return 0;
    }
    int groups = half / order;
    double logarithm = logBinomial(whole, groups) - elements * Math.log(2);
    boolean negative = order % 2 == 0 && groups % 2 == 1;
    long ahead = (long) t * (rest - taken);
    negative ^= taken % 2 == 1 && ahead / modulus % 2 == 1;
    int above = (int) (ahead % modulus);
    int below = 0;
    // Half a turn changes the sign of a sine, and that of all that follow.
    boolean turned = false;
    for (int i = 1; i <= taken; i++) {
      above += t;
      if (above >= modulus) {
        above -= modulus;
        turned = !turned;
      }
      below += t;
      if (below >= modulus) {
        below -= modulus;
        turned = !turned;
      }
      negative ^= turned;
      logarithm += logSine[above] - logSine[below];
    }
    // The angle is π over the modulus, times this: reduced before it becomes a double.
    long angle = Math.floorMod(t * ((long) taken * (rest + 1) - 2 * target), 2L * modulus);
    double value = Math.exp(logarithm) * Math.cos(Math.PI * angle / modulus);
    return negative ? -value : value;
  }

  private static int gcd(int a, int b) {
    return a == 0 ? b : gcd(b % a, a);
  }

  private static double logBinomial(int n, int k) {
    double logarithm = 0;
    for (int i = 1; i <= k; i++) {
      logarithm += Math.log((double) (n - k + i) / i);
    }
    return logarithm;
  }
}
