// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.lang.management.ManagementFactory;

/** How much all threads together, past and present, have allocated on the heap. */
final class Garbage {
  private Garbage() {}

  static long allocatedBytes() {
    return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
        ? threads.getTotalThreadAllocatedBytes()
        : -1;
  }
}
