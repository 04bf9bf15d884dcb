// SPDX-License-Identifier: Apache-2.0
package org.cairn.dataset;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.cairn.ElementType;
import org.cairn.device.DeviceMemory;

/**
 * Connects a dataset to the memory of the program, in both directions: {@link #view} for
 * checkpoints, {@link #target} and {@link #filled} for restarts.
 */
public interface Binding {

  /** What the elements are. */
  ElementType type();

  /**
   * The bytes as they are now, native or over a heap array. What cannot be seen as memory is copied
   * by this call. Valid, and unchanged as long as the program changes nothing, until the next call.
   */
  MemorySegment view();

  /** Where the bytes are if that is a device, which then is asked instead of {@link #view}. */
  default Optional<DeviceMemory> device() {
    return Optional.empty();
  }

  /** How many bytes {@link #view} would have; of what only a function knows, had the last time. */
  long byteSize();

  /**
   * Memory of the program outside of the Java heap, if that is what {@link #view} shows: it stays
   * where it is, and what is written to it can be seen.
   */
  default Optional<MemorySegment> lastingMemory() {
    return Optional.empty();
  }

  /** How the elements are arranged, where the memory itself says so. */
  default Optional<List<Long>> shape() {
    return Optional.empty();
  }

  /** Whether it is made of rows, and so has two axes whatever else is said. */
  default boolean isRows() {
    return false;
  }

  /** Whether {@link #target} can give memory for any number of elements. */
  boolean resizable();

  /**
   * Memory for elements of this shape that a restart will fill.
   *
   * @throws IllegalStateException if that is not the size there is, and it cannot be changed
   */
  MemorySegment target(List<Long> shape);

  /** A restart has filled the memory it was given. */
  void filled();

  /** Puts other memory in the place of this one. */
  default void replace(Object memory) {
    throw new IllegalStateException("this kind of dataset cannot be replaced");
  }
}
