// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.cairn.Checkpointer;
import org.cairn.DatasetStats;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.device.Device;
import org.cairn.device.Devices;

/**
 * Memory of the host that others than Cairn have registered with the driver, or had from it: by
 * calls of their own, as a library for solvers or an MPI that knows CUDA makes them. The device
 * writes to it, and every version has to have what it wrote.
 */
final class ForeignMemory implements AutoCloseable {
  private static final long BYTES = 64L << 20;
  private static final int BLOCK = 16 << 10;
  private static final int PORTABLE = 1;
  private static final int ATTACHED_TO_ALL = 1;

  private final Device device;
  private final Random random;
  private final SymbolLookup library = SymbolLookup.libraryLookup("libcuda.so.1", Arena.global());
  private final MethodHandle register =
      function("cuMemHostRegister_v2", ADDRESS, JAVA_LONG, JAVA_INT);
  private final MethodHandle unregister = function("cuMemHostUnregister", ADDRESS);
  private final MethodHandle allocate = function("cuMemHostAlloc", ADDRESS, JAVA_LONG, JAVA_INT);
  private final MethodHandle manage = function("cuMemAllocManaged", ADDRESS, JAVA_LONG, JAVA_INT);
  private final MethodHandle write = function("cuMemcpyDtoH_v2", ADDRESS, JAVA_LONG, JAVA_LONG);
  private final MethodHandle writeAny = function("cuMemcpy", JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private final Device.Buffer source;
  private final List<String> said = new ArrayList<>();

  ForeignMemory(Device device, Random random) throws Throwable {
    this.device = device;
    this.random = random;
    this.source = device.allocate(1 << 20);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment context = arena.allocate(JAVA_LONG);
      call(function("cuDevicePrimaryCtxRetain", ADDRESS, JAVA_INT), context, 0);
      call(function("cuCtxSetCurrent", JAVA_LONG), context.get(JAVA_LONG, 0));
    }
  }

  private MethodHandle function(String name, MemoryLayout... parameters) {
    return Linker.nativeLinker()
        .downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, parameters));
  }

  private static void call(MethodHandle function, Object... arguments) throws Throwable {
    int error = (int) function.invokeWithArguments(arguments);
    SelfTest.require(error == 0, "CUDA error " + error);
  }

  /** What came of it, in a few words. */
  static String run(Device device, Random random) throws Throwable {
    try (ForeignMemory all = new ForeignMemory(device, random)) {
      DeviceDatasets.within(
          directory -> {
            all.registered(directory.resolve("registered"));
            all.allocated(directory.resolve("allocated"));
            all.managed(directory.resolve("managed"));
            return "";
          });
      all.parts();
      return String.join("\n    ", all.said);
    }
  }

  private static Checkpointer open(Path directory) {
    return Checkpointer.open(
        directory, Options.defaults().strategy(Strategy.DIFFERENTIAL).verifyEvery(1_000));
  }

  private static DatasetStats take(Checkpointer cairn) {
    return cairn.checkpoint().stats().orElseThrow().datasets().getFirst();
  }

  /** The device writes a few bytes, somewhere in a block of its own. */
  private MemorySegment write(MemorySegment memory) throws Throwable {
    long block = random.nextLong(memory.byteSize() / BLOCK);
    MemorySegment target = memory.asSlice(block * BLOCK + 8L * random.nextInt(1000), 64);
    byte[] bytes = new byte[64];
    random.nextBytes(bytes);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocateFrom(JAVA_BYTE, bytes);
      device.copyIn(host, source.pointer()).await();
    }
    call(write, target, source.pointer(), 64L);
    SelfTest.require(target.mismatch(MemorySegment.ofArray(bytes)) == -1, "not written");
    return target;
  }

  // ---------------------------------------------------------------- kinds of memory

  /** Memory of the program that a library registers, and gives free again. */
  private void registered(Path directory) throws IOException {
    byte[] last;
    try (Checkpointer cairn = open(directory)) {
      MemorySegment grid = cairn.allocate("grid", BYTES);
      grid.fill((byte) 1);
      cairn.checkpoint();
      grid.set(JAVA_BYTE, 5 * BLOCK, (byte) 2);
      said.add("before it is registered: " + describe(take(cairn)));
      call(register, grid, BYTES, PORTABLE);
      write(grid);
      DatasetStats seen = take(cairn);
      said.add("registered: " + describe(seen));
      SelfTest.require(seen.changedBytes() == BLOCK, "a write of the device was missed");
      SelfTest.require(seen.hashedBytes() == BYTES, "it was tracked");
      Checkpointer.mark(write(grid));
      SelfTest.require(take(cairn).changedBytes() == BLOCK, "a write that was marked was missed");
      Checkpointer.mark(write(grid));
      seen = take(cairn);
      said.add("marked: " + describe(seen));
      SelfTest.require(seen.changedBytes() == BLOCK, "a write that was marked was missed");
      write(grid);
      said.add("not marked for once, which is not allowed: " + describe(take(cairn)));
      call(unregister, grid);
      last = grid.toArray(JAVA_BYTE);
      cairn.unprotect("grid");
      cairn.protect("grid", grid);
      cairn.checkpoint();
    } catch (Throwable e) {
      throw failed("registered", e);
    }
    expect(directory, last);
  }

  /** Memory that the driver has given. */
  private void allocated(Path directory) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment place = arena.allocate(ADDRESS);
      call(allocate, place, BYTES, PORTABLE);
      MemorySegment grid = place.get(ADDRESS, 0).reinterpret(BYTES);
      byte[] last;
      try (Checkpointer cairn = open(directory)) {
        cairn.protect("grid", grid.fill((byte) 1));
        last = writeAndTake(cairn, grid, "allocated by the driver: ");
      }
      expect(directory, last);
      call(function("cuMemFreeHost", ADDRESS), grid);
    } catch (Throwable e) {
      throw failed("allocated", e);
    }
  }

  /** Memory that moves between device and host, as a dataset of the host. */
  private void managed(Path directory) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment place = arena.allocate(JAVA_LONG);
      long bytes = 16L << 20;
      call(manage, place, bytes, ATTACHED_TO_ALL);
      MemorySegment grid = MemorySegment.ofAddress(place.get(JAVA_LONG, 0)).reinterpret(bytes);
      byte[] last;
      try (Checkpointer cairn = open(directory)) {
        cairn.protect("grid", grid.fill((byte) 1));
        cairn.checkpoint();
        call(writeAny, grid.address() + 3 * BLOCK, source.pointer(), 64L);
        device.await();
        DatasetStats seen = take(cairn);
        said.add("managed: " + describe(seen));
        SelfTest.require(seen.changedBytes() == BLOCK, "a write of the device was missed");
        last = grid.toArray(JAVA_BYTE);
      }
      expect(directory, last);
      call(function("cuMemFree_v2", JAVA_LONG), grid.address());
    } catch (Throwable e) {
      throw failed("managed", e);
    }
  }

  private byte[] writeAndTake(Checkpointer cairn, MemorySegment grid, String what)
      throws Throwable {
    cairn.checkpoint();
    for (int i = 0; i < 3; i++) {
      write(grid);
      DatasetStats seen = take(cairn);
      if (i == 2) {
        said.add(what + describe(seen));
      }
      SelfTest.require(seen.changedBytes() == BLOCK, "a write of the device was missed");
    }
    return grid.toArray(JAVA_BYTE);
  }

  /** A small part of something large, and what it costs to ask. */
  private void parts() throws Throwable {
    try (Arena arena = Arena.ofShared()) {
      for (long mebibytes : new long[] {64, 256, 1024}) {
        MemorySegment all = arena.allocate(mebibytes << 20, 4096);
        long start = System.nanoTime();
        int times = 20;
        for (int i = 0; i < times; i++) {
          SelfTest.require(Devices.reaching(all).isEmpty(), "nobody has registered it");
        }
        double micros = (System.nanoTime() - start) * 1e-3 / times;
        int found = 0;
        int tries = 20;
        for (int i = 0; i < tries; i++) {
          long at = random.nextLong((all.byteSize() - (1 << 20)) / 4096) * 4096;
          MemorySegment part = all.asSlice(at, 1 << 20);
          call(register, part, part.byteSize(), PORTABLE);
          found += Devices.reaching(all).isPresent() ? 1 : 0;
          call(unregister, part);
        }
        said.add(
            String.format(
                Locale.ROOT,
                "%d MiB of which 1 MiB is registered: found %d of %d times, %.0f µs to ask",
                mebibytes,
                found,
                tries,
                micros));
      }
    }
  }

  private static String describe(DatasetStats seen) {
    return "hashed %,d, changed %,d, %s"
        .formatted(seen.hashedBytes(), seen.changedBytes(), seen.tracking());
  }

  private static void expect(Path directory, byte[] saved) {
    byte[] found = new byte[saved.length];
    try (Checkpointer cairn = open(directory)) {
      cairn.protect("grid", found);
      cairn.restart();
    }
    int differs = java.util.Arrays.mismatch(saved, found);
    SelfTest.require(differs == -1, "byte " + differs + " was not saved");
  }

  private static IOException failed(String what, Throwable reason) {
    return new IOException(what, reason);
  }

  @Override
  public void close() {
    source.close();
  }
}
