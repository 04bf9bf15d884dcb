// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** What the kernel does to memory when it is asked to. */
final class KernelWrites {
  static final int GIVE_BACK = 4;
  static final int HUGE_PAGES = 14;

  private static final int READ_AND_WRITE = 3;
  private static final int PRIVATE_FIXED_ANONYMOUS = 0x32;

  private KernelWrites() {}

  private static MethodHandle call(String name, MemoryLayout result, MemoryLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, arguments));
  }

  static void madvise(MemorySegment pages, int advice) throws Throwable {
    int result =
        (int)
            call("madvise", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT)
                .invokeExact(pages, pages.byteSize(), advice);
    assertThat(result).isZero();
  }

  /** Other memory at the same addresses. */
  static void mapAnew(MemorySegment pages) throws Throwable {
    long address =
        (long)
            call("mmap", JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG)
                .invokeExact(
                    pages, pages.byteSize(), READ_AND_WRITE, PRIVATE_FIXED_ANONYMOUS, -1, 0L);
    assertThat(address).isEqualTo(pages.address());
  }

  /**
   * Writes as a process of the same host does that delivers a message.
   *
   * @return false if that is not permitted here
   */
  static boolean deliver(MemorySegment from, MemorySegment to) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      long sent =
          (long)
              call(
                      "process_vm_writev",
                      JAVA_LONG,
                      JAVA_INT,
                      ADDRESS,
                      JAVA_LONG,
                      ADDRESS,
                      JAVA_LONG,
                      JAVA_LONG)
                  .invokeExact(
                      (int) ProcessHandle.current().pid(),
                      piece(arena, from),
                      1L,
                      piece(arena, to),
                      1L,
                      0L);
      return sent == from.byteSize();
    }
  }

  private static MemorySegment piece(Arena arena, MemorySegment bytes) {
    MemorySegment piece = arena.allocate(16, 8);
    piece.set(JAVA_LONG, 0, bytes.address());
    piece.set(JAVA_LONG, 8, bytes.byteSize());
    return piece;
  }
}
