// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.MemorySegment;
import org.cairn.ElementType;

/**
 * A double at each point along one axis of a grid: widths of cells, coordinates. Every rank has all
 * of them, and computes them. A kernel of the grid reads them by the global index along that axis;
 * in a loop over {@link #all} it is also k.
 */
public final class Line extends Data {
  private final double[] values;
  private final Axis axis;
  private final int before;

  private Line(String name, Domain domain, Axis axis, int index, double[] values) {
    super(name, domain, At.CELLS, index, ElementType.DOUBLE, MemorySegment.ofArray(values));
    this.values = values;
    this.axis = axis;
    this.before = domain.halo();
  }

  static Line of(String name, Domain domain, Axis axis, int index) {
    return new Line(name, domain, axis, index, new double[domain.points()]);
  }

  /** The value at an index along the axis. */
  public double at(int i) {
    if (Checks.ON) {
      Checks.read(this, i);
    }
    return values[i + before];
  }

  /** Sets the value at an index along the axis. */
  public void set(int i, double value) {
    if (Checks.ON) {
      Checks.write(this, i);
    }
    values[i + before] = value;
  }

  /** All its points, also those around the grid. */
  public Range all() {
    return new Range(domain(), domain().whole(), false);
  }

  /** Points from one index up to another, which is not one of them. */
  public Range range(int from, int to) {
    return all().only(from, to, 0, 1, 0, 1);
  }

  Axis axis() {
    return axis;
  }
}
