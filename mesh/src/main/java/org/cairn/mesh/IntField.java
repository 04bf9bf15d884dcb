// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.MemorySegment;
import org.cairn.ElementType;

/** A int at each point of a grid. */
public final class IntField extends Data {
  private final int[] values;

  private IntField(String name, Domain domain, At at, int index, int[] values) {
    super(name, domain, at, index, ElementType.INT, MemorySegment.ofArray(values));
    this.values = values;
  }

  static IntField of(String name, Domain domain, At at, int index) {
    return new IntField(name, domain, at, index, new int[domain.points()]);
  }

  /** The value at a point. */
  public int at(int k) {
    if (Checks.ON) {
      Checks.read(this, k);
    }
    return values[k];
  }

  /** Sets the value at a point. */
  public void set(int k, int value) {
    if (Checks.ON) {
      Checks.write(this, k);
    }
    values[k] = value;
  }
}
