// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;

/**
 * What the program pays for the first write to a page that is watched, in nanoseconds: the kernel
 * is entered and lifts the protection of the page.
 */
public record FirstWritePrice(double nanos) {
  private static final int PAGES = 256;
  private static final int TIMES = 5;

  /** The least of some measurements, which take about a millisecond. */
  static FirstWritePrice measure(UserfaultWatch watch) throws UnwatchableException {
    int page = watch.pageSize();
    MemorySegment memory = watch.system().map((long) PAGES * page);
    if (memory.equals(MemorySegment.NULL)) {
      throw new UnwatchableException("there is no memory to try it with");
    }
    try {
      write(memory, page);
      watch.watch(memory.address(), memory.address() + memory.byteSize());
      double least = Double.MAX_VALUE;
      for (int i = 0; i < TIMES; i++) {
        watch.scan(memory.address(), memory.address() + memory.byteSize(), (from, to) -> {});
        long start = System.nanoTime();
        write(memory, page);
        least = Math.min(least, (double) (System.nanoTime() - start) / PAGES);
      }
      return new FirstWritePrice(least);
    } finally {
      watch.system().unmap(memory);
    }
  }

  private static void write(MemorySegment memory, int page) {
    for (long at = 0; at < memory.byteSize(); at += page) {
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) (memory.get(ValueLayout.JAVA_BYTE, at) + 1));
    }
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.2f µs", nanos / 1000);
  }
}
