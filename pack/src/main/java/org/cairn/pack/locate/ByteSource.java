// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** The bytes of a file, as a locator sees them. */
public interface ByteSource {
  /**
   * The name of the file, without its directory; for some formats it tells what the data are. Empty
   * if it has none.
   */
  default String name() {
    return "";
  }

  /** How many there are. */
  long size();

  /**
   * Reads as many bytes as {@code target} has.
   *
   * @throws IOException if they cannot be read
   * @throws IndexOutOfBoundsException if they are not all within the file
   */
  void read(long offset, MemorySegment target) throws IOException;

  /**
   * Reads bytes into an array.
   *
   * @param at where in the array
   * @param length how many
   * @throws IOException if they cannot be read
   * @throws IndexOutOfBoundsException if they are not all within the file
   */
  default void read(long offset, byte[] target, int at, int length) throws IOException {
    read(offset, MemorySegment.ofArray(target).asSlice(at, length));
  }
}
