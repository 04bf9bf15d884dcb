// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.sum;

import java.util.Arrays;

/**
 * A sum of doubles without rounding: the same whatever the order of its terms and however they were
 * grouped. Only {@link #value} rounds, once.
 *
 * <p>The sum is an integer, counted in units of the least double, 2<sup>−1074</sup>. It is kept as
 * 68 digits of 32 bits with room for carries: a digit is a {@code long} of any sign, and carries
 * are settled only once in 2<sup>30</sup> additions. The top digits leave room for 2<sup>63</sup>
 * of the greatest doubles.
 *
 * <p>Infinities and NaN are counted beside it. As a plain loop would have it, one infinity gives
 * itself, both or a NaN give NaN, and a sum that is too large gives an infinity; but here only the
 * sum of all terms can be too large, not one of some. A sum of nothing, or of zeros of any sign, is
 * 0.0.
 *
 * <p>Between ranks sums travel as {@link #words}, which are added as plain {@code long}s.
 */
public final class ExactSum {
  private static final int DIGIT_BITS = 32;
  private static final long DIGIT_MASK = 0xFFFF_FFFFL;

  /** 2,098 bits of a double's range, and 63 for carries. */
  private static final int DIGITS = 68;

  private static final int NANS = DIGITS;
  private static final int POSITIVE_INFINITIES = DIGITS + 1;
  private static final int NEGATIVE_INFINITIES = DIGITS + 2;

  /** How many words stand for a sum. */
  public static final int WORDS = DIGITS + 3;

  /** An addition changes a digit by less than 2<sup>32</sup>: this many fit a {@code long}. */
  private static final int ADDS_UNSETTLED = 1 << 30;

  private static final int FRACTION_BITS = 52;
  private static final long FRACTION_MASK = (1L << FRACTION_BITS) - 1;
  private static final int EXPONENT_OF_SPECIALS = 0x7FF;

  /** Digits from the least, then the counts of special values. */
  private final long[] words = new long[WORDS];

  /** Additions since carries were settled; a bound, not a count. */
  private int unsettled;

  /** Adds a term. */
  public void add(double term) {
    long bits = Double.doubleToRawLongBits(term);
    int exponent = (int) (bits >>> FRACTION_BITS) & EXPONENT_OF_SPECIALS;
    if (exponent == EXPONENT_OF_SPECIALS) {
      addSpecial(term);
      return;
    }
    if (unsettled >= ADDS_UNSETTLED) {
      settle();
    }
    unsettled++;
    // Doubles below the least normal one have no hidden bit, and the exponent of the least normal.
    long significand = exponent == 0 ? bits & FRACTION_MASK : bits & FRACTION_MASK | 1L << 52;
    int place = Math.max(exponent, 1) - 1;
    int digit = place / DIGIT_BITS;
    int shift = place % DIGIT_BITS;
    long sign = bits >> 63;
    words[digit] += signed(significand << shift & DIGIT_MASK, sign);
    words[digit + 1] += signed(significand >>> DIGIT_BITS - shift & DIGIT_MASK, sign);
    words[digit + 2] += signed(significand >>> DIGIT_BITS >>> DIGIT_BITS - shift, sign);
  }

  /** The value itself for sign 0, its negative for −1. */
  private static long signed(long value, long sign) {
    return (value ^ sign) - sign;
  }

  private void addSpecial(double term) {
    int kind = Double.isNaN(term) ? NANS : term > 0 ? POSITIVE_INFINITIES : NEGATIVE_INFINITIES;
    words[kind] = 1;
  }

  /** Adds all terms of another sum. */
  public void merge(ExactSum other) {
    if ((long) unsettled + other.unsettled >= ADDS_UNSETTLED) {
      settle();
      other.settle();
    }
    // Settled digits may be as great as one addition makes them.
    unsettled += other.unsettled + 1;
    add(other.words);
  }

  /**
   * Adds the terms that words stand for.
   *
   * @param words those of one sum, or the sums of those of up to 2<sup>20</sup> sums
   */
  public void mergeWords(long[] words) {
    settle();
    add(words);
    settle();
  }

  private void add(long[] others) {
    if (others.length != WORDS) {
      throw new IllegalArgumentException(
          "a sum has " + WORDS + " words, but there are " + others.length);
    }
    for (int n = 0; n < DIGITS; n++) {
      words[n] += others[n];
    }
    for (int n = DIGITS; n < WORDS; n++) {
      words[n] |= others[n] == 0 ? 0 : 1;
    }
  }

  /**
   * The sum as {@value #WORDS} words that may be added one by one to those of other sums, of up to
   * 2<sup>20</sup> in all, without overflow: each is below 2<sup>32</sup>, the digits' last one in
   * either direction.
   */
  public long[] words() {
    settle();
    return words.clone();
  }

  /** Makes every digit 0 to 2<sup>32</sup> − 1 except the last, which has the sign. */
  private void settle() {
    long carry = 0;
    for (int n = 0; n < DIGITS - 1; n++) {
      long digit = words[n] + carry;
      words[n] = digit & DIGIT_MASK;
      carry = digit >> DIGIT_BITS;
    }
    words[DIGITS - 1] += carry;
    unsettled = 1;
  }

  /** The sum, rounded once to the nearest double, to the even one of two. */
  public double value() {
    if (hasSpecials()) {
      return specialValue();
    }
    settle();
    boolean negative = words[DIGITS - 1] < 0;
    double magnitude = magnitude(negative ? negated() : words);
    return negative ? -magnitude : magnitude;
  }

  private boolean hasSpecials() {
    return (words[NANS] | words[POSITIVE_INFINITIES] | words[NEGATIVE_INFINITIES]) != 0;
  }

  private double specialValue() {
    boolean positive = words[POSITIVE_INFINITIES] != 0;
    boolean negative = words[NEGATIVE_INFINITIES] != 0;
    if (words[NANS] != 0 || positive && negative) {
      return Double.NaN;
    }
    return positive ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
  }

  private long[] negated() {
    ExactSum negated = new ExactSum();
    for (int n = 0; n < DIGITS; n++) {
      negated.words[n] = -words[n];
    }
    negated.settle();
    return negated.words;
  }

  /** The double nearest to settled digits that are not negative. */
  private static double magnitude(long[] digits) {
    int top = topBit(digits);
    if (top <= FRACTION_BITS) {
      // The unit is that of the least doubles: such a number is its own representation.
      return Double.longBitsToDouble(bitsFrom(digits, 0));
    }
    int low = top - FRACTION_BITS;
    if (low >= EXPONENT_OF_SPECIALS - 1) {
      return Double.POSITIVE_INFINITY;
    }
    long significand = bitsFrom(digits, low) & (1L << FRACTION_BITS + 1) - 1;
    boolean half = bitAt(digits, low - 1);
    boolean up = half && ((significand & 1) != 0 || anyBelow(digits, low - 1));
    // The hidden bit counts the exponent up by one, and so does a carry out of the fraction.
    return Double.longBitsToDouble(((long) low << FRACTION_BITS) + significand + (up ? 1 : 0));
  }

  /** The highest bit that is set, or −1. */
  private static int topBit(long[] digits) {
    for (int n = DIGITS - 1; n >= 0; n--) {
      if (digits[n] != 0) {
        return n * DIGIT_BITS + Long.SIZE - 1 - Long.numberOfLeadingZeros(digits[n]);
      }
    }
    return -1;
  }

  /** The bits from a place on, at least 64 − 31 of them. */
  private static long bitsFrom(long[] digits, int place) {
    int digit = place / DIGIT_BITS;
    int shift = place % DIGIT_BITS;
    long low = digits[digit] >>> shift;
    long middle = digit + 1 < DIGITS ? digits[digit + 1] << DIGIT_BITS - shift : 0;
    long high = digit + 2 < DIGITS ? digits[digit + 2] << DIGIT_BITS << DIGIT_BITS - shift : 0;
    return low | middle | high;
  }

  private static boolean bitAt(long[] digits, int place) {
    return (digits[place / DIGIT_BITS] >>> place % DIGIT_BITS & 1) != 0;
  }

  private static boolean anyBelow(long[] digits, int place) {
    int digit = place / DIGIT_BITS;
    for (int n = 0; n < digit; n++) {
      if (digits[n] != 0) {
        return true;
      }
    }
    return (digits[digit] & (1L << place % DIGIT_BITS) - 1) != 0;
  }

  /** Makes it a sum of nothing. */
  public void clear() {
    Arrays.fill(words, 0);
    unsettled = 0;
  }
}
