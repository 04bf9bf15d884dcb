// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/** A protected {@code double}: a checkpoint saves it, a restart sets it. */
public final class DoubleCell {
  private final double[] value;

  /** A cell over a single-element array, which is what is protected. */
  public DoubleCell(double[] value) {
    this.value = value;
  }

  /** The value. */
  public double get() {
    return value[0];
  }

  /** Sets the value. */
  public void set(double newValue) {
    value[0] = newValue;
  }

  @Override
  public String toString() {
    return Double.toString(value[0]);
  }
}
