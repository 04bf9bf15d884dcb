// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/**
 * Makes an array of rows for a restart, and puts it where the program looks for it.
 *
 * @param <T> {@code double[][]} or {@code float[][]}
 */
@FunctionalInterface
public interface RowsAllocator<T> {
  /** An array of {@code rows} rows of {@code columns} elements each. */
  T allocate(int rows, int columns);
}
