// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lets files be read from memory, or from the disk again: {@code
 * posix_fadvise(POSIX_FADV_DONTNEED)} of Linux.
 */
final class PageCache {
  private static final int CALL = 4 << 20;
  private static final int DONT_NEED = 4;
  private static final int READ_ONLY = 0;
  private static final @Nullable Functions FUNCTIONS = bind();

  private PageCache() {}

  private record Functions(MethodHandle open, MethodHandle advise, MethodHandle close) {}

  private static @Nullable Functions bind() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return null;
    }
    Linker linker = Linker.nativeLinker();
    ValueLayout.OfInt number = ValueLayout.JAVA_INT;
    ValueLayout.OfLong offset = ValueLayout.JAVA_LONG;
    return new Functions(
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("open"),
            FunctionDescriptor.of(number, ValueLayout.ADDRESS, number),
            Linker.Option.firstVariadicArg(2)),
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("posix_fadvise"),
            FunctionDescriptor.of(number, number, offset, offset, number)),
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("close"), FunctionDescriptor.of(number, number)));
  }

  /** Brings all files below a folder into memory: what was written need not be there. */
  static void load(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> below = Files.walk(folder)) {
      files = below.filter(path -> Files.isRegularFile(path)).toList();
    }
    ByteBuffer bytes = ByteBuffer.allocateDirect(CALL);
    for (Path path : files) {
      try (FileChannel file = FileChannel.open(path)) {
        while (file.read(bytes.clear()) >= 0) {
          // Only that it was read matters.
        }
      }
    }
  }

  /** Drops what the system has of a forced file in memory; false where that is not possible. */
  static boolean drop(Path path) throws IOException {
    Functions functions = FUNCTIONS;
    if (functions == null) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(path.toAbsolutePath().toString());
      int file = (int) functions.open.invokeExact(name, READ_ONLY);
      if (file < 0) {
        return false;
      }
      int failed = (int) functions.advise.invokeExact(file, 0L, 0L, DONT_NEED);
      int ignored = (int) functions.close.invokeExact(file);
      return failed == 0;
    } catch (Throwable e) {
      throw new IOException("dropping " + path + " from memory failed", e);
    }
  }
}
