// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.MemorySegment;

/**
 * Memory that is hashed to see how fast that goes, and who does it: the processor with memory of
 * one kind, or a device with its own memory, or with the program's and the copies that it takes.
 */
public interface Place {
  /** As tables have it, such as {@code native memory}. */
  String name();

  /** Whether threads of the processor do the work, so that their number matters. */
  boolean usesThreads();

  /** Whether it computes this hash at all. */
  boolean computes(StudiedHash hash);

  /** How much memory there is. */
  long bytes();

  /** Hashes the share of one of several threads; a device has one. */
  void hash(StudiedHash hash, int block, int thread, int threads);

  /** Memory that the processor hashes where it lies; it is filled with numbers. */
  static Place of(String name, MemorySegment memory) {
    ProcessorPlace.fill(memory);
    return new ProcessorPlace(name, memory);
  }
}
