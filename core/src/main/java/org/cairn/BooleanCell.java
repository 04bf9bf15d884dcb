// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/** A protected {@code boolean}: a checkpoint saves it, a restart sets it. */
public final class BooleanCell {
  private final boolean[] value;

  /** A cell over a single-element array, which is what is protected. */
  public BooleanCell(boolean[] value) {
    this.value = value;
  }

  /** The value. */
  public boolean get() {
    return value[0];
  }

  /** Sets the value. */
  public void set(boolean newValue) {
    value[0] = newValue;
  }

  @Override
  public String toString() {
    return Boolean.toString(value[0]);
  }
}
