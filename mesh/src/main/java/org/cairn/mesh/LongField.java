// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.MemorySegment;
import org.cairn.ElementType;

/** A long at each point of a grid. */
public final class LongField extends Data {
  private final long[] values;

  private LongField(String name, Domain domain, At at, int index, long[] values) {
    super(name, domain, at, index, ElementType.LONG, MemorySegment.ofArray(values));
    this.values = values;
  }

  static LongField of(String name, Domain domain, At at, int index) {
    return new LongField(name, domain, at, index, new long[domain.points()]);
  }

  /** The value at a point. */
  public long at(int k) {
    if (Checks.ON) {
      Checks.read(this, k);
    }
    return values[k];
  }

  /** Sets the value at a point. */
  public void set(int k, long value) {
    if (Checks.ON) {
      Checks.write(this, k);
    }
    values[k] = value;
  }
}
