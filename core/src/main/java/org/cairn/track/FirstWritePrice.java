// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * What the program pays for the first write to a page that is watched, in nanoseconds: the kernel
 * is entered and lifts the protection of the page.
 */
public record FirstWritePrice(double nanos) {
  private static final int PAGES = 256;
  private static final int TIMES = 5;

  /**
   * The least of some measurements, which take about a millisecond. What it takes to write to the
   * same pages once more is taken off: in a process that has just begun a loop over them is not
   * compiled, and took longer than the kernel.
   */
  static FirstWritePrice measure(UserfaultWatch watch) throws UnwatchableException {
    int page = watch.pageSize();
    MemorySegment memory = watch.system().map((long) PAGES * page);
    if (memory.equals(MemorySegment.NULL)) {
      throw new UnwatchableException("there is no memory to try it with");
    }
    try {
      write(memory);
      watch.watch(memory.address(), memory.address() + memory.byteSize());
      long first = Long.MAX_VALUE;
      long again = Long.MAX_VALUE;
      for (int i = 0; i < TIMES; i++) {
        watch.scan(memory.address(), memory.address() + memory.byteSize(), (from, to) -> {});
        first = Math.min(first, write(memory));
        again = Math.min(again, write(memory));
      }
      return new FirstWritePrice((double) Math.max(0, first - again) / PAGES);
    } finally {
      watch.system().unmap(memory);
    }
  }

  /**
   * Writes to all pages, by one call that is fast from the first time on; says how long it took.
   */
  private static long write(MemorySegment memory) {
    long start = System.nanoTime();
    memory.fill((byte) 1);
    return System.nanoTime() - start;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.2f µs", nanos / 1000);
  }
}
