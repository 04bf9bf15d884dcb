// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/** A protected {@code long}: a checkpoint saves it, a restart sets it. */
public final class LongCell {
  private final long[] value;

  /** A cell over a single-element array, which is what is protected. */
  public LongCell(long[] value) {
    this.value = value;
  }

  /** The value. */
  public long get() {
    return value[0];
  }

  /** Sets the value. */
  public void set(long newValue) {
    value[0] = newValue;
  }

  /** Adds one, and gives the new value. */
  public long increment() {
    return ++value[0];
  }

  /** Adds a number, and gives the new value. */
  public long add(long number) {
    value[0] += number;
    return value[0];
  }

  @Override
  public String toString() {
    return Long.toString(value[0]);
  }
}
