// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Point;
import org.cairn.mesh.kernel.Point1;
import org.cairn.mesh.kernel.Point2;
import org.cairn.mesh.kernel.Point3;
import org.cairn.mesh.kernel.Row;
import org.cairn.mesh.kernel.Several;
import org.cairn.mesh.kernel.Several1;
import org.cairn.mesh.kernel.Several2;
import org.cairn.mesh.kernel.Several3;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.kernel.Value;
import org.cairn.mesh.kernel.Value1;
import org.cairn.mesh.kernel.Value2;
import org.cairn.mesh.kernel.Value3;
import org.cairn.mesh.weave.Purpose;
import org.jspecify.annotations.Nullable;

/**
 * How a program writes loops. Each has a name, a range, what it does with which fields, and a
 * kernel: a lambda of the point {@code k}, and of its global indices if it wants them.
 *
 * <p>All ranks call the same loops in the same order. A kernel may be called for points in any
 * order and by several threads, unless the loop reads what it writes at other points; then by one
 * thread, row by row.
 */
public abstract sealed class LoopCalls permits Mesh {
  LoopCalls() {}

  abstract void run(
      String name,
      Range range,
      Kernel kernel,
      Access a,
      @Nullable Access b,
      @Nullable Access c,
      @Nullable Access d);

  abstract double reduce(
      Purpose purpose, String name, Range range, Kernel kernel, Access a, @Nullable Access b);

  abstract double[] reduceAll(
      String name, Range range, Kernel kernel, Totals totals, Access a, @Nullable Access b);

  // ---------------------------------------------------------------- each

  /** Does something at each point of a range. */
  public void each(String name, Range range, Access a, Point kernel) {
    run(name, range, kernel, a, null, null, null);
  }

  /** Does something at each point of a range of one axis, or of a line. */
  public void each(String name, Range range, Access a, Point1 kernel) {
    run(name, range, kernel, a, null, null, null);
  }

  /** Does something at each point of a range of two axes. */
  public void each(String name, Range range, Access a, Point2 kernel) {
    run(name, range, kernel, a, null, null, null);
  }

  /** Does something at each point of a range of three axes. */
  public void each(String name, Range range, Access a, Point3 kernel) {
    run(name, range, kernel, a, null, null, null);
  }

  /** Does something at each point of a range. */
  public void each(String name, Range range, Access a, Access b, Point kernel) {
    run(name, range, kernel, a, b, null, null);
  }

  /** Does something at each point of a range of one axis, or of a line. */
  public void each(String name, Range range, Access a, Access b, Point1 kernel) {
    run(name, range, kernel, a, b, null, null);
  }

  /** Does something at each point of a range of two axes. */
  public void each(String name, Range range, Access a, Access b, Point2 kernel) {
    run(name, range, kernel, a, b, null, null);
  }

  /** Does something at each point of a range of three axes. */
  public void each(String name, Range range, Access a, Access b, Point3 kernel) {
    run(name, range, kernel, a, b, null, null);
  }

  /** Does something at each point of a range. */
  public void each(String name, Range range, Access a, Access b, Access c, Point kernel) {
    run(name, range, kernel, a, b, c, null);
  }

  /** Does something at each point of a range of one axis, or of a line. */
  public void each(String name, Range range, Access a, Access b, Access c, Point1 kernel) {
    run(name, range, kernel, a, b, c, null);
  }

  /** Does something at each point of a range of two axes. */
  public void each(String name, Range range, Access a, Access b, Access c, Point2 kernel) {
    run(name, range, kernel, a, b, c, null);
  }

  /** Does something at each point of a range of three axes. */
  public void each(String name, Range range, Access a, Access b, Access c, Point3 kernel) {
    run(name, range, kernel, a, b, c, null);
  }

  /** Does something at each point of a range. */
  public void each(String name, Range range, Access a, Access b, Access c, Access d, Point kernel) {
    run(name, range, kernel, a, b, c, d);
  }

  /** Does something at each point of a range of one axis, or of a line. */
  public void each(
      String name, Range range, Access a, Access b, Access c, Access d, Point1 kernel) {
    run(name, range, kernel, a, b, c, d);
  }

  /** Does something at each point of a range of two axes. */
  public void each(
      String name, Range range, Access a, Access b, Access c, Access d, Point2 kernel) {
    run(name, range, kernel, a, b, c, d);
  }

  /** Does something at each point of a range of three axes. */
  public void each(
      String name, Range range, Access a, Access b, Access c, Access d, Point3 kernel) {
    run(name, range, kernel, a, b, c, d);
  }

  // ---------------------------------------------------------------- rows

  /**
   * Does something with each row of a range, in a loop of its own: from {@code k} up to another.
   */
  public void rows(String name, Range range, Access a, Row kernel) {
    run(name, range, kernel, a, null, null, null);
  }

  /**
   * Does something with each row of a range, in a loop of its own: from {@code k} up to another.
   */
  public void rows(String name, Range range, Access a, Access b, Row kernel) {
    run(name, range, kernel, a, b, null, null);
  }

  /**
   * Does something with each row of a range, in a loop of its own: from {@code k} up to another.
   */
  public void rows(String name, Range range, Access a, Access b, Access c, Row kernel) {
    run(name, range, kernel, a, b, c, null);
  }

  /**
   * Does something with each row of a range, in a loop of its own: from {@code k} up to another.
   */
  public void rows(String name, Range range, Access a, Access b, Access c, Access d, Row kernel) {
    run(name, range, kernel, a, b, c, d);
  }

  // ---------------------------------------------------------------- reductions

  /**
   * Adds the values of all points, on all ranks: the same bits on any number of threads and ranks.
   */
  public double sum(String name, Range range, Access a, Value kernel) {
    return reduce(Purpose.SUM, name, range, kernel, a, null);
  }

  /**
   * Adds the values of all points, on all ranks: the same bits on any number of threads and ranks.
   */
  public double sum(String name, Range range, Access a, Value1 kernel) {
    return reduce(Purpose.SUM, name, range, kernel, a, null);
  }

  /**
   * Adds the values of all points, on all ranks: the same bits on any number of threads and ranks.
   */
  public double sum(String name, Range range, Access a, Value2 kernel) {
    return reduce(Purpose.SUM, name, range, kernel, a, null);
  }

  /**
   * Adds the values of all points, on all ranks: the same bits on any number of threads and ranks.
   */
  public double sum(String name, Range range, Access a, Value3 kernel) {
    return reduce(Purpose.SUM, name, range, kernel, a, null);
  }

  /**
   * Adds the values of all points, on all ranks: the same bits on any number of threads and ranks.
   */
  public double sum(String name, Range range, Access a, Access b, Value kernel) {
    return reduce(Purpose.SUM, name, range, kernel, a, b);
  }

  /**
   * Adds the values of all points, on all ranks: the same bits on any number of threads and ranks.
   */
  public double sum(String name, Range range, Access a, Access b, Value1 kernel) {
    return reduce(Purpose.SUM, name, range, kernel, a, b);
  }

  /**
   * Adds the values of all points, on all ranks: the same bits on any number of threads and ranks.
   */
  public double sum(String name, Range range, Access a, Access b, Value2 kernel) {
    return reduce(Purpose.SUM, name, range, kernel, a, b);
  }

  /**
   * Adds the values of all points, on all ranks: the same bits on any number of threads and ranks.
   */
  public double sum(String name, Range range, Access a, Access b, Value3 kernel) {
    return reduce(Purpose.SUM, name, range, kernel, a, b);
  }

  /** Finds the least value of all points, on all ranks; +∞ of none. */
  public double min(String name, Range range, Access a, Value kernel) {
    return reduce(Purpose.MIN, name, range, kernel, a, null);
  }

  /** Finds the least value of all points, on all ranks; +∞ of none. */
  public double min(String name, Range range, Access a, Value1 kernel) {
    return reduce(Purpose.MIN, name, range, kernel, a, null);
  }

  /** Finds the least value of all points, on all ranks; +∞ of none. */
  public double min(String name, Range range, Access a, Value2 kernel) {
    return reduce(Purpose.MIN, name, range, kernel, a, null);
  }

  /** Finds the least value of all points, on all ranks; +∞ of none. */
  public double min(String name, Range range, Access a, Value3 kernel) {
    return reduce(Purpose.MIN, name, range, kernel, a, null);
  }

  /** Finds the least value of all points, on all ranks; +∞ of none. */
  public double min(String name, Range range, Access a, Access b, Value kernel) {
    return reduce(Purpose.MIN, name, range, kernel, a, b);
  }

  /** Finds the least value of all points, on all ranks; +∞ of none. */
  public double min(String name, Range range, Access a, Access b, Value1 kernel) {
    return reduce(Purpose.MIN, name, range, kernel, a, b);
  }

  /** Finds the least value of all points, on all ranks; +∞ of none. */
  public double min(String name, Range range, Access a, Access b, Value2 kernel) {
    return reduce(Purpose.MIN, name, range, kernel, a, b);
  }

  /** Finds the least value of all points, on all ranks; +∞ of none. */
  public double min(String name, Range range, Access a, Access b, Value3 kernel) {
    return reduce(Purpose.MIN, name, range, kernel, a, b);
  }

  /** Finds the greatest value of all points, on all ranks; −∞ of none. */
  public double max(String name, Range range, Access a, Value kernel) {
    return reduce(Purpose.MAX, name, range, kernel, a, null);
  }

  /** Finds the greatest value of all points, on all ranks; −∞ of none. */
  public double max(String name, Range range, Access a, Value1 kernel) {
    return reduce(Purpose.MAX, name, range, kernel, a, null);
  }

  /** Finds the greatest value of all points, on all ranks; −∞ of none. */
  public double max(String name, Range range, Access a, Value2 kernel) {
    return reduce(Purpose.MAX, name, range, kernel, a, null);
  }

  /** Finds the greatest value of all points, on all ranks; −∞ of none. */
  public double max(String name, Range range, Access a, Value3 kernel) {
    return reduce(Purpose.MAX, name, range, kernel, a, null);
  }

  /** Finds the greatest value of all points, on all ranks; −∞ of none. */
  public double max(String name, Range range, Access a, Access b, Value kernel) {
    return reduce(Purpose.MAX, name, range, kernel, a, b);
  }

  /** Finds the greatest value of all points, on all ranks; −∞ of none. */
  public double max(String name, Range range, Access a, Access b, Value1 kernel) {
    return reduce(Purpose.MAX, name, range, kernel, a, b);
  }

  /** Finds the greatest value of all points, on all ranks; −∞ of none. */
  public double max(String name, Range range, Access a, Access b, Value2 kernel) {
    return reduce(Purpose.MAX, name, range, kernel, a, b);
  }

  /** Finds the greatest value of all points, on all ranks; −∞ of none. */
  public double max(String name, Range range, Access a, Access b, Value3 kernel) {
    return reduce(Purpose.MAX, name, range, kernel, a, b);
  }

  /**
   * Makes several sums, least and greatest values in one loop.
   *
   * @param totals how many of each, {@code Totals.of(sums, minima, maxima)}; the loop fills it
   * @return sums, then least values, then greatest ones, of all ranks
   */
  public double[] several(String name, Range range, Access a, Totals totals, Several kernel) {
    return reduceAll(name, range, kernel, totals, a, null);
  }

  /**
   * Makes several sums, least and greatest values in one loop.
   *
   * @param totals how many of each, {@code Totals.of(sums, minima, maxima)}; the loop fills it
   * @return sums, then least values, then greatest ones, of all ranks
   */
  public double[] several(String name, Range range, Access a, Totals totals, Several1 kernel) {
    return reduceAll(name, range, kernel, totals, a, null);
  }

  /**
   * Makes several sums, least and greatest values in one loop.
   *
   * @param totals how many of each, {@code Totals.of(sums, minima, maxima)}; the loop fills it
   * @return sums, then least values, then greatest ones, of all ranks
   */
  public double[] several(String name, Range range, Access a, Totals totals, Several2 kernel) {
    return reduceAll(name, range, kernel, totals, a, null);
  }

  /**
   * Makes several sums, least and greatest values in one loop.
   *
   * @param totals how many of each, {@code Totals.of(sums, minima, maxima)}; the loop fills it
   * @return sums, then least values, then greatest ones, of all ranks
   */
  public double[] several(String name, Range range, Access a, Totals totals, Several3 kernel) {
    return reduceAll(name, range, kernel, totals, a, null);
  }

  /**
   * Makes several sums, least and greatest values in one loop.
   *
   * @param totals how many of each, {@code Totals.of(sums, minima, maxima)}; the loop fills it
   * @return sums, then least values, then greatest ones, of all ranks
   */
  public double[] several(
      String name, Range range, Access a, Access b, Totals totals, Several kernel) {
    return reduceAll(name, range, kernel, totals, a, b);
  }

  /**
   * Makes several sums, least and greatest values in one loop.
   *
   * @param totals how many of each, {@code Totals.of(sums, minima, maxima)}; the loop fills it
   * @return sums, then least values, then greatest ones, of all ranks
   */
  public double[] several(
      String name, Range range, Access a, Access b, Totals totals, Several1 kernel) {
    return reduceAll(name, range, kernel, totals, a, b);
  }

  /**
   * Makes several sums, least and greatest values in one loop.
   *
   * @param totals how many of each, {@code Totals.of(sums, minima, maxima)}; the loop fills it
   * @return sums, then least values, then greatest ones, of all ranks
   */
  public double[] several(
      String name, Range range, Access a, Access b, Totals totals, Several2 kernel) {
    return reduceAll(name, range, kernel, totals, a, b);
  }

  /**
   * Makes several sums, least and greatest values in one loop.
   *
   * @param totals how many of each, {@code Totals.of(sums, minima, maxima)}; the loop fills it
   * @return sums, then least values, then greatest ones, of all ranks
   */
  public double[] several(
      String name, Range range, Access a, Access b, Totals totals, Several3 kernel) {
    return reduceAll(name, range, kernel, totals, a, b);
  }
}
