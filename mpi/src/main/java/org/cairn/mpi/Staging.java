// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Native memory that messages from and to the heap are copied through, because a collection may
 * move an array while MPI reads it. Safe for use by many threads.
 *
 * <p>It comes from malloc: an arena would clear it, and clearing takes as long as copying. Blocks
 * up to {@link #LARGEST_KEPT} are kept, by powers of two; larger ones go back at once.
 */
final class Staging {
  private static final int SMALLEST_LOG = 8;
  private static final int LARGEST_LOG = 22;
  static final long LARGEST_KEPT = 1L << LARGEST_LOG;

  /** At most this many blocks of each size are kept: 64 MiB in all. */
  private static final int KEPT = 8;

  private static final MethodHandle MALLOC =
      bind("malloc", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
  private static final MethodHandle FREE = bind("free", FunctionDescriptor.ofVoid(JAVA_LONG));

  private final MemorySegment[][] kept = new MemorySegment[LARGEST_LOG - SMALLEST_LOG + 1][KEPT];
  private final int[] counts = new int[kept.length];

  /** Memory of at least this many bytes, with arbitrary contents. */
  MemorySegment take(long bytes) {
    if (bytes > LARGEST_KEPT) {
      return allocate(bytes);
    }
    int sizeClass = sizeClass(bytes);
    synchronized (this) {
      if (counts[sizeClass] > 0) {
        return kept[sizeClass][--counts[sizeClass]];
      }
    }
    return allocate(1L << (sizeClass + SMALLEST_LOG));
  }

  /** Takes memory back that MPI has done with. */
  void giveBack(MemorySegment memory) {
    if (memory.byteSize() <= LARGEST_KEPT) {
      int sizeClass = sizeClass(memory.byteSize());
      synchronized (this) {
        if (counts[sizeClass] < KEPT) {
          kept[sizeClass][counts[sizeClass]++] = memory;
          return;
        }
      }
    }
    free(memory);
  }

  private static int sizeClass(long bytes) {
    int log = Long.SIZE - Long.numberOfLeadingZeros(Math.max(bytes, 1) - 1);
    return Math.max(log, SMALLEST_LOG) - SMALLEST_LOG;
  }

  private static MemorySegment allocate(long bytes) {
    try {
      long address = (long) MALLOC.invokeExact(bytes);
      if (address == 0) {
        throw new OutOfMemoryError("no native memory for a message of " + bytes + " bytes");
      }
      return MemorySegment.ofAddress(address).reinterpret(bytes);
    } catch (Throwable e) {
      throw MpiFunctions.unexpected(e);
    }
  }

  private static void free(MemorySegment memory) {
    try {
      FREE.invokeExact(memory.address());
    } catch (Throwable e) {
      throw MpiFunctions.unexpected(e);
    }
  }

  private static MethodHandle bind(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }
}
