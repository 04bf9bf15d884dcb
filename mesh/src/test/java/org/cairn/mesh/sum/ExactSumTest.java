// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.sum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

class ExactSumTest {
  private static final double LEAST = Double.MIN_VALUE;
  private static final double GREATEST = Double.MAX_VALUE;

  @Test
  void aSumOfNothingIsPositiveZero() {
    assertSum(0.0);
  }

  @Test
  void zerosOfAnySignGivePositiveZeroAsAPlainLoopDoes() {
    assertSum(0.0, -0.0);
    assertSum(0.0, -0.0, -0.0, 0.0);
    assertSum(0.0, 1.5, -1.5);
    assertSum(0.0, -LEAST, LEAST);
  }

  @Test
  void theLeastAndTheGreatestDoublesAreKept() {
    for (double value :
        new double[] {LEAST, Double.MIN_NORMAL, Math.nextDown(Double.MIN_NORMAL), 1, GREATEST}) {
      assertSum(value, value);
      assertSum(-value, -value);
    }
  }

  @Test
  void aSmallTermSurvivesLargeOnesThatCancel() {
    assertSum(LEAST, GREATEST, LEAST, -GREATEST);
    assertSum(1, 1e300, 1, -1e300);
    assertSum(-1e-300, 1e300, 1e16, -1e-300, -1e300, -1e16);
  }

  @Test
  void halvesAreRoundedToTheEvenNeighbour() {
    double unit = Math.ulp(1.0);
    assertSum(1, 1, unit / 2);
    assertSum(1 + 2 * unit, 1 + unit, unit / 2);
    assertSum(1 + unit, 1, unit / 2, LEAST);
    assertSum(1, 1, unit / 2, -LEAST);
    assertSum(-1 - unit, -1, -unit / 2, -LEAST);
    assertSum(2, 2 - unit, unit / 2);
  }

  @Test
  void aSumThatIsTooLargeIsInfiniteAndOnlyTheWholeSumCounts() {
    assertSum(Double.POSITIVE_INFINITY, GREATEST, GREATEST);
    assertSum(Double.NEGATIVE_INFINITY, -GREATEST, -GREATEST);
    assertSum(GREATEST, GREATEST, GREATEST, -GREATEST);
    double half = Math.ulp(GREATEST) / 2;
    assertSum(Double.POSITIVE_INFINITY, GREATEST, half);
    assertSum(GREATEST, GREATEST, Math.nextDown(half));
  }

  @Test
  void infinitiesAndNansAreThoseOfAPlainSum() {
    double more = Double.POSITIVE_INFINITY;
    double less = Double.NEGATIVE_INFINITY;
    assertSum(more, 1, more, -GREATEST);
    assertSum(more, more, more);
    assertSum(less, less, GREATEST);
    assertSum(Double.NaN, less, 1, more);
    assertSum(Double.NaN, Double.NaN, 1);
    assertSum(Double.NaN, more, Double.NaN);
  }

  @Test
  void aClearedSumIsASumOfNothing() {
    ExactSum sum = sumOf(1, Double.NaN, Double.POSITIVE_INFINITY);
    sum.clear();
    assertThat(sum.value()).isEqualTo(0.0);
    assertThat(sum.words()).containsOnly(0);
  }

  @Test
  void aSumMayBeReadAndGoesOn() {
    ExactSum sum = new ExactSum();
    for (int term = 1; term <= 100; term++) {
      sum.add(-term);
      assertThat(sum.value()).isEqualTo(-term * (term + 1) / 2);
    }
  }

  @Test
  void wordsOfAMillionRanksCanBeAddedAsTheyAre() {
    for (double term : new double[] {GREATEST, -GREATEST, -LEAST, 1.0 / 3, -1e-310}) {
      long[] words = sumOf(term).words();
      long[] added = Arrays.stream(words).map(word -> Math.multiplyExact(word, 1L << 20)).toArray();
      ExactSum sum = new ExactSum();
      sum.mergeWords(added);
      sum.mergeWords(sumOf(term, -term).words());
      assertThat(sum.value()).isEqualTo(term * (1 << 20));
    }
  }

  @Test
  void specialValuesTravelAsWords() {
    long[] infinite = sumOf(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY).words();
    assertBits(Double.POSITIVE_INFINITY, addedWords(infinite, infinite, sumOf(-1).words()));
    assertBits(Double.NaN, addedWords(infinite, sumOf(Double.NEGATIVE_INFINITY).words()));
    assertBits(Double.NaN, addedWords(sumOf(1).words(), sumOf(Double.NaN).words()));
  }

  @Test
  void wordsOfSomethingElseAreRefused() {
    assertThatThrownBy(() -> new ExactSum().mergeWords(new long[3]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a sum has " + ExactSum.WORDS + " words, but there are 3");
  }

  @Test
  void carriesAreSettledBeforeTheyOverflow() {
    ExactSum sum = sumOf(GREATEST, -LEAST);
    BigDecimal expected = new BigDecimal(GREATEST).subtract(new BigDecimal(LEAST));
    // Doubles the sum, with all the additions that it remembers, far beyond the range of a long.
    ExactSum terms = sumOf(-GREATEST);
    BigDecimal expectedOfTerms = new BigDecimal(-GREATEST);
    for (int time = 0; time < 60; time++) {
      terms.merge(terms);
      expectedOfTerms = expectedOfTerms.add(expectedOfTerms);
    }
    sum.merge(terms);
    expected = expected.add(expectedOfTerms);
    assertThat(sum.value()).isEqualTo(Double.NEGATIVE_INFINITY);
    ExactSum back = sumOf(GREATEST);
    BigDecimal expectedOfBack = new BigDecimal(GREATEST);
    for (int time = 0; time < 60; time++) {
      back.merge(back);
      expectedOfBack = expectedOfBack.add(expectedOfBack);
    }
    sum.merge(back);
    assertThat(sum.value()).isEqualTo(expected.add(expectedOfBack).doubleValue());
  }

  @SeededTest(seeds = 200)
  void aSumIsTheOneOfExactArithmetic(Random random) {
    double[] terms = terms(random);
    assertBits(exact(terms), sumOf(terms));
  }

  @SeededTest(seeds = 100)
  void neitherOrderNorGroupingMatters(Random random) {
    double[] terms = terms(random);
    double expected = sumOf(terms).value();
    List<ExactSum> parts = new ArrayList<>();
    for (double term : shuffled(terms, random)) {
      if (parts.isEmpty() || random.nextInt(4) == 0) {
        parts.add(new ExactSum());
      }
      parts.get(random.nextInt(parts.size())).add(term);
    }
    while (parts.size() > 1) {
      ExactSum one = parts.remove(random.nextInt(parts.size()));
      ExactSum other = parts.get(random.nextInt(parts.size()));
      if (random.nextBoolean()) {
        other.merge(one);
      } else {
        other.mergeWords(one.words());
      }
    }
    assertBits(expected, parts.getFirst());
  }

  /** Of all exponents, of a few, or such that nearly cancel. */
  private static double[] terms(Random random) {
    double[] terms = new double[1 + random.nextInt(60)];
    int spread = 1 << random.nextInt(11);
    long middle = random.nextInt(2047 - spread + 1);
    for (int n = 0; n < terms.length; n++) {
      long exponent = middle + random.nextInt(spread);
      long bits = random.nextLong() & ~(0x7FFL << 52) | exponent << 52;
      terms[n] = Double.longBitsToDouble(bits);
      if (n > 0 && random.nextInt(3) == 0) {
        terms[n] = -terms[random.nextInt(n)];
      }
    }
    return terms;
  }

  private static List<Double> shuffled(double[] terms, Random random) {
    List<Double> shuffled = new ArrayList<>(Arrays.stream(terms).boxed().toList());
    Collections.shuffle(shuffled, random);
    return shuffled;
  }

  private static double exact(double[] terms) {
    BigDecimal sum = BigDecimal.ZERO;
    for (double term : terms) {
      sum = sum.add(new BigDecimal(term));
    }
    return sum.doubleValue();
  }

  private static ExactSum sumOf(double... terms) {
    ExactSum sum = new ExactSum();
    for (double term : terms) {
      sum.add(term);
    }
    return sum;
  }

  private static ExactSum addedWords(long[]... words) {
    long[] added = new long[ExactSum.WORDS];
    for (long[] some : words) {
      Arrays.setAll(added, n -> added[n] + some[n]);
    }
    ExactSum sum = new ExactSum();
    sum.mergeWords(added);
    return sum;
  }

  private static void assertSum(double expected, double... terms) {
    assertBits(expected, sumOf(terms));
  }

  private static void assertBits(double expected, ExactSum sum) {
    assertThat(Double.doubleToLongBits(sum.value()))
        .as("%s, expected %s", sum.value(), expected)
        .isEqualTo(Double.doubleToLongBits(expected));
  }
}
