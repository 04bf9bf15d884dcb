// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import org.cairn.device.DeviceException;
import org.cairn.supply.Supply;

/**
 * A context of the program: what every call of the driver needs that has to do with memory. Any
 * thread may call; the context is its current one during the call and no longer.
 */
final class CudaContext {
  private static final int NON_BLOCKING = 1;
  private static final int PORTABLE = 1;

  /** Threads of a block in the sense of CUDA; {@code cairn.cu} has the same number. */
  private static final int THREADS = 256;

  /** Options of the compiler in the driver, as numbered in {@code cuda.h}: its list of errors. */
  private static final int ERROR_LOG = 5;

  private static final int ERROR_LOG_SIZE = 6;
  private static final int LOG_BYTES = 8192;

  private final CudaDriver driver;
  private final CudaFunctions functions;
  private final long handle;

  CudaContext(CudaDriver driver, long handle) {
    this.driver = driver;
    this.functions = driver.functions();
    this.handle = handle;
  }

  /** The time in which it is the current one of this thread. */
  @FunctionalInterface
  interface Current extends AutoCloseable {
    @Override
    void close();
  }

  Current enter() {
    driver.check("entering a context", CudaDriver.call(functions.ctxPushCurrent(), handle));
    return this::leave;
  }

  private void leave() {
    try (Arena arena = Supply.confinedArena()) {
      // Whatever it says: what failed before has been told.
      int ignored = CudaDriver.call(functions.ctxPopCurrent(), arena.allocate(JAVA_LONG));
      assert ignored >= 0 : ignored;
    }
  }

  CudaDriver driver() {
    return driver;
  }

  long handle() {
    return handle;
  }

  /** The name of the device. */
  String deviceName() {
    try (Current _ = enter();
        Arena arena = Supply.confinedArena()) {
      int device =
          (int)
              driver.answer(
                  "asking for the device",
                  place -> CudaDriver.call(functions.ctxGetDevice(), place));
      MemorySegment text = arena.allocate(256);
      driver.check(
          "asking for a name", (int) functions.deviceGetName().invokeExact(text, 256, device));
      return text.getString(0);
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  // ---------------------------------------------------------------- kernels

  /** Has the driver compile the kernels for this device. */
  Map<Kernels, Long> loadKernels() {
    try (Current _ = enter();
        Arena arena = Supply.confinedArena()) {
      long module = loadModule(arena);
      Map<Kernels, Long> all = new EnumMap<>(Kernels.class);
      for (Kernels kernel : Kernels.values()) {
        all.put(kernel, function(module, kernel.symbol(), arena));
      }
      return all;
    }
  }

  private long loadModule(Arena arena) {
    MemorySegment text = arena.allocateFrom(kernelText());
    MemorySegment log = arena.allocate(LOG_BYTES);
    MemorySegment options = arena.allocateFrom(JAVA_INT, ERROR_LOG, ERROR_LOG_SIZE);
    MemorySegment values = arena.allocate(ADDRESS, 2);
    values.setAtIndex(ADDRESS, 0, log);
    values.setAtIndex(ADDRESS, 1, MemorySegment.ofAddress(LOG_BYTES));
    MemorySegment module = arena.allocate(JAVA_LONG);
    int error;
    try {
      error = (int) functions.moduleLoadDataEx().invokeExact(module, text, 2, options, values);
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
    if (error != 0) {
      DeviceException failure = driver.failure("compiling Cairn's kernels", error);
      throw new DeviceException(failure.getMessage() + "; " + log.getString(0).strip());
    }
    return module.get(JAVA_LONG, 0);
  }

  private static String kernelText() {
    try (InputStream text = CudaContext.class.getResourceAsStream("cairn.ptx")) {
      if (text == null) {
        throw new DeviceException("cairn.ptx is not in the jar of cairn-gpu; build it again");
      }
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long function(long module, String name, Arena arena) {
    MemorySegment place = arena.allocate(JAVA_LONG);
    try {
      driver.check(
          "finding " + name,
          (int) functions.moduleGetFunction().invokeExact(place, module, arena.allocateFrom(name)));
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
    return place.get(JAVA_LONG, 0);
  }

  /**
   * Starts a kernel.
   *
   * @param teams how many blocks it is for
   * @param parameters addresses of its parameters
   */
  void launch(long function, Kernels kernel, int teams, long stream, MemorySegment parameters) {
    int grid = Math.toIntExact(Math.ceilDiv((long) teams * kernel.threads(), THREADS));
    try {
      driver.check(
          "starting " + kernel.symbol(),
          (int)
              functions
                  .launchKernel()
                  .invokeExact(
                      function,
                      grid,
                      1,
                      1,
                      THREADS,
                      1,
                      1,
                      0,
                      stream,
                      parameters,
                      MemorySegment.NULL));
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  // ---------------------------------------------------------------- memory, streams

  long allocate(long bytes) {
    return driver.answer(
        "taking %,d bytes of the device's memory".formatted(bytes),
        place -> CudaDriver.call(functions.memAlloc(), place, bytes));
  }

  void free(long pointer) {
    driver.check("giving back the device's memory", CudaDriver.call(functions.memFree(), pointer));
  }

  long freeBytes() {
    try (Arena arena = Supply.confinedArena()) {
      MemorySegment free = arena.allocate(JAVA_LONG);
      MemorySegment total = arena.allocate(JAVA_LONG);
      driver.check("asking for free memory", CudaDriver.call(functions.memGetInfo(), free, total));
      return free.get(JAVA_LONG, 0);
    }
  }

  /** Memory of the host that the device reaches by itself, until the process ends. */
  MemorySegment allocateHost(long bytes) {
    long address =
        driver.answer(
            "taking %,d bytes of locked memory".formatted(bytes),
            place -> {
              try {
                return (int) functions.memHostAlloc().invokeExact(place, bytes, PORTABLE);
              } catch (Throwable e) {
                throw CudaDriver.unexpected(e);
              }
            });
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  void register(MemorySegment host) {
    try {
      driver.check(
          "registering %,d bytes".formatted(host.byteSize()),
          (int) functions.memHostRegister().invokeExact(host, host.byteSize(), PORTABLE));
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  void unregister(MemorySegment host) {
    driver.check("unregistering memory", CudaDriver.call(functions.memHostUnregister(), host));
  }

  /** A stream that waits for none of the program's. */
  long newStream() {
    return driver.answer(
        "making a stream", place -> CudaDriver.call(functions.streamCreate(), place, NON_BLOCKING));
  }

  void await(long stream) {
    driver.check("waiting for the device", CudaDriver.call(functions.streamSynchronize(), stream));
  }

  void awaitAll() {
    driver.check("waiting for the device", CudaDriver.call(functions.ctxSynchronize()));
  }

  void copyOut(long pointer, MemorySegment target, long bytes, long stream) {
    try {
      driver.check(
          "copying %,d bytes from the device".formatted(bytes),
          (int) functions.memcpyDtoHAsync().invokeExact(target, pointer, bytes, stream));
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  void copyIn(MemorySegment source, long pointer, long bytes, long stream) {
    try {
      driver.check(
          "copying %,d bytes to the device".formatted(bytes),
          (int) functions.memcpyHtoDAsync().invokeExact(pointer, source, bytes, stream));
    } catch (Throwable e) {
      throw CudaDriver.unexpected(e);
    }
  }

  /** A driver can be given memory that stays where it is. */
  static void requireNative(MemorySegment host) {
    if (!host.isNative()) {
      throw new IllegalArgumentException(
          "memory on the heap moves, so no device can be given it; use memory of an arena");
    }
  }
}
