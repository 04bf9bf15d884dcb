// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.HashAlgorithm;

/** The kernels as plain functions, compiled from the same source by the C++ compiler here. */
final class Twin implements KernelChecks.Subject {
  private static final StructLayout JOB =
      MemoryLayout.structLayout(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT);

  private final Map<Kernels, MethodHandle> functions = new EnumMap<>(Kernels.class);
  private final Arena arena;
  private final MemorySegment bytes;

  /**
   * Functions over some memory.
   *
   * @param library what {@link #compile} made
   */
  Twin(Path library, Arena arena, MemorySegment bytes) {
    this.arena = arena;
    this.bytes = bytes;
    SymbolLookup symbols = SymbolLookup.libraryLookup(library, arena);
    for (Kernels kernel : Kernels.values()) {
      functions.put(
          kernel,
          Linker.nativeLinker()
              .downcallHandle(
                  symbols.findOrThrow(kernel.symbol()), FunctionDescriptor.ofVoid(JOB)));
    }
  }

  /** Why the source cannot be compiled here; empty if it was. */
  static Optional<String> compile(Path source, Path library) throws IOException {
    List<String> command =
        List.of(
            "g++",
            "-x",
            "c++",
            "-std=c++17",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unknown-pragmas",
            "-fPIC",
            "-shared",
            "-o",
            library.toString(),
            source.toString());
    Path log = Files.createTempFile("twin", ".log");
    try {
      int status =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start()
              .waitFor();
      if (status != 0) {
        throw new AssertionError(String.join(" ", command) + "\n" + Files.readString(log));
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("there is no g++ here: " + e.getMessage());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      Files.delete(log);
    }
  }

  private void call(Kernels kernel, long data, long length, long out, long chosen, int[] sizes) {
    MemorySegment job = arena.allocate(JOB);
    job.set(JAVA_LONG, 0, data);
    job.set(JAVA_LONG, 8, length);
    job.set(JAVA_LONG, 16, out);
    job.set(JAVA_LONG, 24, chosen);
    job.set(JAVA_INT, 32, sizes[0]);
    job.set(JAVA_INT, 36, sizes[1]);
    try {
      functions.get(kernel).invoke(job);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void hash(
      long offset, long length, int blockSize, HashAlgorithm algorithm, long[] digests) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment out = own.allocate(JAVA_LONG, Math.max(1, digests.length));
      long data = bytes.address() + offset;
      int[] sizes = {blockSize, digests.length / 2};
      call(Kernels.of(algorithm, data, blockSize), data, length, out.address(), 0, sizes);
      MemorySegment.copy(out, JAVA_LONG, 0, digests, 0, digests.length);
    }
  }

  @Override
  public byte[] gather(long offset, long length, int blockSize, int[] chosen) {
    try (Arena own = Arena.ofConfined()) {
      MemorySegment list = own.allocateFrom(JAVA_INT, chosen);
      MemorySegment out = own.allocate((long) chosen.length * blockSize, 256);
      long data = bytes.address() + offset;
      int[] sizes = {blockSize, chosen.length};
      call(Kernels.gathering(data, blockSize), data, length, out.address(), list.address(), sizes);
      return out.toArray(ValueLayout.JAVA_BYTE);
    }
  }
}
