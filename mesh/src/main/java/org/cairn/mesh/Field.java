// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.MemorySegment;
import org.cairn.ElementType;

/** A double at each point of a grid. */
public final class Field extends Data {
  private final double[] values;

  private Field(String name, Domain domain, At at, int index, double[] values) {
    super(name, domain, at, index, ElementType.DOUBLE, MemorySegment.ofArray(values));
    this.values = values;
  }

  static Field of(String name, Domain domain, At at, int index) {
    return new Field(name, domain, at, index, new double[domain.points()]);
  }

  /** The value at a point. */
  public double at(int k) {
    if (Checks.ON) {
      Checks.read(this, k);
    }
    return values[k];
  }

  /** Sets the value at a point. */
  public void set(int k, double value) {
    if (Checks.ON) {
      Checks.write(this, k);
    }
    values[k] = value;
  }
}
