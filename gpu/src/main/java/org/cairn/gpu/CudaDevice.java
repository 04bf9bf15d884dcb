// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.HashAlgorithm;
import org.cairn.device.Device;
import org.cairn.device.DeviceException;
import org.cairn.supply.Mutex;
import org.jspecify.annotations.Nullable;

/**
 * A device in one context. What it needs for itself, some megabytes, is taken when it is first used
 * and kept until the process ends; those who hash or gather do so one after the other.
 */
final class CudaDevice implements Device {
  private final CudaDriver driver;
  private final CudaContext context;
  private final String name;
  private final Mutex inUse = new Mutex();
  private final AtomicInteger copies = new AtomicInteger();

  /** Made when they are first needed: compiling the kernels takes a while. */
  private @Nullable Equipment equipment;

  private record Equipment(Lane[] lanes, long[] copyStreams) {}

  CudaDevice(CudaDriver driver, long context) {
    this.driver = driver;
    this.context = new CudaContext(driver, context);
    this.name = this.context.deviceName();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean computes(HashAlgorithm algorithm) {
    return Kernels.computes(algorithm);
  }

  private Equipment equipment() {
    try (Mutex.Held _ = inUse.hold()) {
      Equipment known = equipment;
      if (known == null) {
        Map<Kernels, Long> kernels = context.loadKernels();
        try (CudaContext.Current _ = context.enter()) {
          known =
              new Equipment(
                  new Lane[] {new Lane(context, kernels), new Lane(context, kernels)},
                  new long[] {context.newStream(), context.newStream()});
        }
        equipment = known;
      }
      return known;
    }
  }

  @Override
  public void check(long pointer, long bytes) {
    OptionalLong start = driver.attribute(CudaDriver.POINTER_RANGE_START, pointer);
    OptionalLong size = driver.attribute(CudaDriver.POINTER_RANGE_SIZE, pointer);
    if (start.isEmpty() || size.isEmpty()) {
      throw new DeviceException(
          "0x%x is no memory of %s (any more); unprotect it before it is freed"
              .formatted(pointer, name));
    }
    long left = start.getAsLong() + size.getAsLong() - pointer;
    if (bytes > left) {
      throw new DeviceException(
          "%,d bytes were said to be at 0x%x of %s, and there are %,d; protect what was allocated"
              .formatted(bytes, pointer, name, left));
    }
    long owner = driver.attribute(CudaDriver.POINTER_CONTEXT, pointer).orElse(0);
    if (owner != 0 && owner != context.handle()) {
      throw new DeviceException(
          "0x%x of %s belongs to another context now; unprotect it, and protect it again"
              .formatted(pointer, name));
    }
  }

  @Override
  public void await() {
    try (CudaContext.Current _ = context.enter()) {
      context.awaitAll();
    }
  }

  @Override
  public void await(long stream) {
    try (CudaContext.Current _ = context.enter()) {
      context.await(stream);
    }
  }

  // ---------------------------------------------------------------- hashing

  @Override
  public void hash(
      long pointer, long bytes, int blockSize, HashAlgorithm algorithm, long[] digests, int at) {
    requireRoom(bytes, blockSize, digests, at);
    long step = (long) Lane.BLOCKS * blockSize;
    inTurns(
        digests,
        bytes,
        step,
        (lane, from, length) ->
            lane.hash(pointer + from, length, blockSize, algorithm, at + (int) (from / blockSize)));
  }

  @Override
  public void hashHost(
      MemorySegment data, int blockSize, HashAlgorithm algorithm, long[] digests, int at) {
    CudaContext.requireNative(data);
    requireRoom(data.byteSize(), blockSize, digests, at);
    if (blockSize > Lane.PIECE) {
      throw new IllegalArgumentException("blocks of more than 32 MiB: " + blockSize);
    }
    long step = Math.min(Lane.PIECE / blockSize, Lane.BLOCKS) * blockSize;
    inTurns(
        digests,
        data.byteSize(),
        step,
        (lane, from, length) ->
            lane.hash(
                data.asSlice(from, length), blockSize, algorithm, at + (int) (from / blockSize)));
  }

  private static void requireRoom(long bytes, int blockSize, long[] digests, int at) {
    if (blockSize <= 0) {
      throw new IllegalArgumentException("blocks of " + blockSize + " bytes");
    }
    long blocks = Math.ceilDiv(bytes, blockSize);
    if (bytes < 0 || at < 0 || blocks > digests.length / 2 - at) {
      throw new IndexOutOfBoundsException(
          "%d digests from %d on in an array of %d words".formatted(blocks, at, digests.length));
    }
  }

  /** A piece of work for a lane. */
  @FunctionalInterface
  private interface Piece {
    void start(Lane lane, long from, long length);
  }

  private void inTurns(long[] digests, long bytes, long step, Piece piece) {
    Lane[] lanes = equipment().lanes;
    try (Mutex.Held _ = inUse.hold();
        CudaContext.Current _ = context.enter()) {
      int turn = 0;
      try {
        for (long from = 0; from < bytes; from += step) {
          Lane lane = lanes[turn++ & 1];
          lane.collect(digests);
          piece.start(lane, from, Math.min(step, bytes - from));
        }
        // The one that was started first.
        lanes[turn & 1].collect(digests);
        lanes[turn + 1 & 1].collect(digests);
      } catch (RuntimeException e) {
        lanes[0].forget();
        lanes[1].forget();
        throw e;
      }
    }
  }

  // ---------------------------------------------------------------- memory

  @Override
  public long freeBytes() {
    try (CudaContext.Current _ = context.enter()) {
      return context.freeBytes();
    }
  }

  private record Allocated(CudaContext context, long pointer, long bytes) implements Buffer {
    @Override
    public void close() {
      try (CudaContext.Current _ = context.enter()) {
        context.free(pointer);
      }
    }
  }

  @Override
  public Buffer allocate(long bytes) {
    try (CudaContext.Current _ = context.enter()) {
      return new Allocated(context, context.allocate(bytes), bytes);
    }
  }

  @Override
  public void gather(
      long pointer, long bytes, int blockSize, int[] chosen, int from, int count, Buffer target) {
    if ((long) count * blockSize > target.bytes()) {
      throw new IndexOutOfBoundsException(
          "%d blocks of %d bytes in a buffer of %d".formatted(count, blockSize, target.bytes()));
    }
    Lane lane = equipment().lanes[0];
    try (Mutex.Held _ = inUse.hold();
        CudaContext.Current _ = context.enter()) {
      lane.gather(pointer, bytes, blockSize, chosen, from, count, target.pointer());
    }
  }

  private record Streamed(CudaContext context, long stream) implements Copy {
    @Override
    public void await() {
      try (CudaContext.Current _ = context.enter()) {
        context.await(stream);
      }
    }
  }

  private long nextCopyStream() {
    return equipment().copyStreams[copies.getAndIncrement() & 1];
  }

  @Override
  public Copy copyOut(long pointer, MemorySegment target) {
    CudaContext.requireNative(target);
    long stream = nextCopyStream();
    try (CudaContext.Current _ = context.enter()) {
      context.copyOut(pointer, target, target.byteSize(), stream);
    }
    return new Streamed(context, stream);
  }

  @Override
  public Copy copyIn(MemorySegment source, long pointer) {
    CudaContext.requireNative(source);
    long stream = nextCopyStream();
    try (CudaContext.Current _ = context.enter()) {
      context.copyIn(source, pointer, source.byteSize(), stream);
    }
    return new Streamed(context, stream);
  }

  private record Registered(CudaContext context, MemorySegment host) implements Registration {
    @Override
    public void close() {
      try (CudaContext.Current _ = context.enter()) {
        context.unregister(host);
      }
    }
  }

  @Override
  public Registration register(MemorySegment host) {
    CudaContext.requireNative(host);
    try (CudaContext.Current _ = context.enter()) {
      context.register(host);
    }
    return new Registered(context, host);
  }

  @Override
  public String toString() {
    return name;
  }
}
