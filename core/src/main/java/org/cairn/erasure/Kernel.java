// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.lang.foreign.MemorySegment;

/**
 * Computes one or two targets from one to six sources, as a {@link Shape} says. All memory is
 * native and not mapped, so that C2 meets one class of segments only; ranges have been checked.
 */
interface Kernel {

  /**
   * Computes {@code length} bytes of each target from as many of each source.
   *
   * @param memory the sources, {@link Shape#MAX_SOURCES} of them (what is too many is ignored),
   *     then the target of the plain sum if there is one, then those of sums with coefficients
   * @param offset where to begin in all of them
   */
  void run(MemorySegment[] memory, long offset, int length, Coefficients coefficients);
}
