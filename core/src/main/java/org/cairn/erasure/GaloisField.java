// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

/**
 * The field of 256 elements, GF(2)[x] modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11d), whose element 2
 * generates all others. RAID-6 of Linux and ISA-L use the same.
 *
 * <p>Elements are bytes; methods that compute with {@code int} expect and give 0 to 255. Addition
 * and subtraction are both exclusive or.
 */
public final class GaloisField {

  /** The polynomial, its bit of x^8 included. */
  public static final int POLYNOMIAL = 0x11d;

  private static final int ORDER = 255;

  /** Powers of 2, twice in a row: sums of two logarithms need no modulus. */
  private static final int[] POWERS = new int[2 * ORDER];

  private static final int[] LOGARITHMS = new int[ORDER + 1];

  static {
    int power = 1;
    for (int i = 0; i < ORDER; i++) {
      POWERS[i] = power;
      POWERS[i + ORDER] = power;
      LOGARITHMS[power] = i;
      power <<= 1;
      if (power > ORDER) {
        power ^= POLYNOMIAL;
      }
    }
  }

  private GaloisField() {}

  /** The product of two elements. */
  public static int multiply(int a, int b) {
    return a == 0 || b == 0 ? 0 : POWERS[LOGARITHMS[a] + LOGARITHMS[b]];
  }

  /** The quotient of two elements. */
  public static int divide(int a, int b) {
    return multiply(a, inverse(b));
  }

  /**
   * The element that gives 1 when multiplied by {@code a}.
   *
   * @throws ArithmeticException if {@code a} is 0
   */
  public static int inverse(int a) {
    if (a == 0) {
      throw new ArithmeticException("0 has no inverse");
    }
    return POWERS[ORDER - LOGARITHMS[a]];
  }

  /** The products of {@code a} with 0, 1, … 255. */
  static byte[] products(int a) {
    byte[] products = new byte[ORDER + 1];
    for (int b = 0; b <= ORDER; b++) {
      products[b] = (byte) multiply(a, b);
    }
    return products;
  }
}
