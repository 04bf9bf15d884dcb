// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

import java.util.Arrays;
import org.cairn.mesh.sum.ExactSum;

/**
 * Sums, least and greatest values of a loop; each kind is numbered from 0.
 *
 * <p>A kernel only adds to them: {@link #add}, {@link #min}, {@link #max}. The loop itself tells
 * where a segment of a row ends, at most {@value #SEGMENT} points: within a segment terms are added
 * as they come, sums of segments are added exactly. So a sum depends on where segments begin and
 * end, which is at fixed columns of the grid, but not on which thread or rank had which segment. Or
 * all terms are added {@link #inOrder} of their points.
 *
 * <p>Not for several threads at once: each has its own, and they are {@link #merge merged}.
 */
public final class Totals {
  /** The points of a segment: rows are cut at global columns that are multiples of it. */
  public static final int SEGMENT = 1024;

  private final boolean inOrder;
  private final double[] running;
  private final double[] minima;
  private final double[] maxima;
  private final ExactSum[] sums;

  private Totals(int sums, int minima, int maxima, boolean inOrder) {
    this.inOrder = inOrder;
    this.running = new double[sums];
    this.minima = new double[minima];
    this.maxima = new double[maxima];
    this.sums = new ExactSum[inOrder ? 0 : sums];
    Arrays.setAll(this.sums, n -> new ExactSum());
    clear();
  }

  /** Totals whose sums do not depend on who had which segment. */
  public static Totals of(int sums, int minima, int maxima) {
    return new Totals(sums, minima, maxima, false);
  }

  /**
   * Totals whose sums are what one loop over all points gives: each term is added to the sum of all
   * before it. The parts of a range must follow each other with the same totals, or with such that
   * {@link #startAt start at} the sum so far.
   */
  public static Totals inOrder(int sums, int minima, int maxima) {
    return new Totals(sums, minima, maxima, true);
  }

  /** No totals: for loops that have none. */
  public static Totals none() {
    return new Totals(0, 0, 0, false);
  }

  /** Adds a term to a sum. */
  public void add(int sum, double term) {
    running[sum] += term;
  }

  /** Compares with the least value so far, as {@link Math#min(double, double)} does. */
  public void min(int minimum, double value) {
    minima[minimum] = Math.min(minima[minimum], value);
  }

  /** Compares with the greatest value so far, as {@link Math#max(double, double)} does. */
  public void max(int maximum, double value) {
    maxima[maximum] = Math.max(maxima[maximum], value);
  }

  /** What the first sum of a segment starts at. */
  public double beginSegment() {
    return running[0];
  }

  /** Ends a segment of which the first sum was kept elsewhere. */
  public void endSegment(double first) {
    running[0] = first;
    endSegment();
  }

  /** Ends a segment. */
  public void endSegment() {
    for (int n = 0; n < sums.length; n++) {
      sums[n].add(running[n]);
      running[n] = 0;
    }
  }

  /** Makes everything as it was at first. */
  public void clear() {
    Arrays.fill(running, 0);
    Arrays.fill(minima, Double.POSITIVE_INFINITY);
    Arrays.fill(maxima, Double.NEGATIVE_INFINITY);
    for (ExactSum sum : sums) {
      sum.clear();
    }
  }

  /**
   * Lets a sum in order start at a value, that of the points before.
   *
   * @throws IllegalStateException if sums are not kept in order
   */
  public void startAt(int sum, double value) {
    if (!inOrder) {
      throw new IllegalStateException("only sums in order start at a value");
    }
    running[sum] = value;
  }

  /**
   * Adds what others have.
   *
   * @throws IllegalStateException if sums are kept in order, and so cannot be merged
   */
  public void merge(Totals others) {
    if (inOrder || others.inOrder) {
      throw new IllegalStateException("sums in order cannot be merged");
    }
    for (int n = 0; n < sums.length; n++) {
      sums[n].merge(others.sums[n]);
    }
    for (int n = 0; n < minima.length; n++) {
      min(n, others.minima[n]);
    }
    for (int n = 0; n < maxima.length; n++) {
      max(n, others.maxima[n]);
    }
  }

  /** A sum, 0 where nothing was added. */
  public double sum(int n) {
    return inOrder ? running[n] : sums[n].value();
  }

  /** The exact sum of the segments, which ranks merge. */
  public ExactSum exact(int n) {
    return sums[n];
  }

  /** The least value, or +∞ where there was none. */
  public double minimum(int n) {
    return minima[n];
  }

  /** The greatest value, or −∞ where there was none. */
  public double maximum(int n) {
    return maxima[n];
  }

  /** How many sums there are. */
  public int sums() {
    return running.length;
  }

  /** How many least values there are. */
  public int minima() {
    return minima.length;
  }

  /** How many greatest values there are. */
  public int maxima() {
    return maxima.length;
  }

  /** Whether each term is added to the sum of all before it. */
  public boolean isInOrder() {
    return inOrder;
  }
}
