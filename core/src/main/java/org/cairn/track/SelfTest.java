// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/**
 * Writes to some pages and sees that just these are told. A kernel may have the calls and not what
 * they rest on: then nothing would ever be told, and nothing saved.
 */
final class SelfTest {
  private static final int PAGES = 16;

  private final UserfaultWatch watch;
  private final MemorySegment memory;
  private final int page;

  private SelfTest(UserfaultWatch watch, MemorySegment memory) {
    this.watch = watch;
    this.memory = memory;
    this.page = watch.pageSize();
  }

  /** Throws unless writes are seen. */
  static void of(UserfaultWatch watch) throws UnwatchableException {
    MemorySegment memory = watch.system().map((long) PAGES * watch.pageSize());
    if (memory.equals(MemorySegment.NULL)) {
      throw new UnwatchableException("there is no memory to try it with");
    }
    try {
      new SelfTest(watch, memory).run();
    } finally {
      watch.system().unmap(memory);
    }
  }

  private void run() throws UnwatchableException {
    write(2, 3); // the others were never touched
    watch.watch(memory.address(), memory.address() + memory.byteSize());
    scan();
    expect();
    write(3, 7, 15);
    expect(3, 7, 15);
    expect();
    write(7);
    expect(7);
  }

  private void write(int... pages) {
    for (int one : pages) {
      memory.set(ValueLayout.JAVA_BYTE, (long) one * page + 1, (byte) 1);
    }
  }

  private BitSet scan() throws UnwatchableException {
    BitSet told = new BitSet();
    watch.scan(
        memory.address(),
        memory.address() + memory.byteSize(),
        (from, to) ->
            told.set(
                (int) ((from - memory.address()) / page), (int) ((to - memory.address()) / page)));
    return told;
  }

  private void expect(int... pages) throws UnwatchableException {
    BitSet expected = new BitSet();
    for (int one : pages) {
      expected.set(one);
    }
    BitSet told = scan();
    if (!told.equals(expected)) {
      throw new UnwatchableException(
          "the kernel's tracking does not work: pages %s were written, it told of %s"
              .formatted(expected, told));
    }
  }
}
