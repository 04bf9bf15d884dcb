// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/** A protected {@code int}: a checkpoint saves it, a restart sets it. */
public final class IntCell {
  private final int[] value;

  /** A cell over a single-element array, which is what is protected. */
  public IntCell(int[] value) {
    this.value = value;
  }

  /** The value. */
  public int get() {
    return value[0];
  }

  /** Sets the value. */
  public void set(int newValue) {
    value[0] = newValue;
  }

  /** Adds one, and gives the new value. */
  public int increment() {
    return ++value[0];
  }

  /** Adds a number, and gives the new value. */
  public int add(int number) {
    value[0] += number;
    return value[0];
  }

  @Override
  public String toString() {
    return Integer.toString(value[0]);
  }
}
