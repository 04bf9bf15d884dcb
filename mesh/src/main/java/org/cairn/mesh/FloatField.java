// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.MemorySegment;
import org.cairn.ElementType;

/** A float at each point of a grid. */
public final class FloatField extends Data {
  private final float[] values;

  private FloatField(String name, Domain domain, At at, int index, float[] values) {
    super(name, domain, at, index, ElementType.FLOAT, MemorySegment.ofArray(values));
    this.values = values;
  }

  static FloatField of(String name, Domain domain, At at, int index) {
    return new FloatField(name, domain, at, index, new float[domain.points()]);
  }

  /** The value at a point. */
  public float at(int k) {
    if (Checks.ON) {
      Checks.read(this, k);
    }
    return values[k];
  }

  /** Sets the value at a point. */
  public void set(int k, float value) {
    if (Checks.ON) {
      Checks.write(this, k);
    }
    values[k] = value;
  }
}
