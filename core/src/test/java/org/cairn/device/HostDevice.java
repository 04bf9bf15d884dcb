// SPDX-License-Identifier: Apache-2.0
package org.cairn.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.HashAlgorithm;
import org.cairn.hash.Hashers;
import org.cairn.hash.WeakHash;

/**
 * A device for machines without one: its memory is the host's, under addresses that nobody but it
 * understands, and it fails, lies and runs out of memory when it is told to. Copies are done when
 * they are awaited, or when another one has begun in their stream: who looks too early sees it.
 */
public final class HostDevice implements Device {
  /** The one that {@link Devices} finds. */
  public static final HostDevice ONLY = new HostDevice();

  /** Where its addresses begin, far from those of the host. */
  private static final long BASE = 1L << 60;

  private static final long APART = 1L << 40;

  /** For {@code ServiceLoader}. */
  public static final class Provider implements DeviceProvider {
    @Override
    public String name() {
      return "host";
    }

    @Override
    public Optional<String> absence() {
      return Optional.empty();
    }

    @Override
    public List<Device> devices() {
      return List.of(ONLY);
    }

    @Override
    public Optional<Device> deviceOf(long pointer) {
      return ONLY.isKnown(pointer) ? Optional.of(ONLY) : Optional.empty();
    }

    @Override
    public Optional<Device> registered(MemorySegment host) {
      return ONLY.isRegistered(host) ? Optional.of(ONLY) : Optional.empty();
    }
  }

  private final TreeMap<Long, MemorySegment> memory = new TreeMap<>();
  private final Map<Integer, Pending> streams = new TreeMap<>();
  private final AtomicLong calls = new AtomicLong();
  private long next = BASE;
  private long limit;
  private long failingCall;
  private boolean lost;
  private long firstLie;
  private long hashes;
  private int copies;
  private long copiedOut;
  private long gathers;
  private final Map<Long, Long> registered = new TreeMap<>();
  private long hostHashes;

  private HostDevice() {
    reset();
  }

  /** Forgets everything. */
  public synchronized void reset() {
    memory.clear();
    streams.clear();
    calls.set(0);
    limit = Long.MAX_VALUE;
    failingCall = -1;
    lost = false;
    firstLie = Long.MAX_VALUE;
    hashes = 0;
    copiedOut = 0;
    gathers = 0;
    registered.clear();
    hostHashes = 0;
  }

  // ---------------------------------------------------------------- what tests tell it

  /** The n-th call from now on fails, counted from 0; and all after it if the device is lost. */
  public synchronized void failAt(long call, boolean andBeLost) {
    calls.set(0);
    failingCall = call;
    lost = andBeLost;
  }

  /** Whether a call has failed, or would fail. */
  public synchronized boolean hasFailed() {
    return failingCall >= 0 && calls.get() > failingCall;
  }

  /** It has so much memory. */
  public synchronized void limit(long bytes) {
    limit = bytes;
  }

  /** From the n-th time on it computes digests that are wrong, counted from 0. */
  public synchronized void lieFrom(long time) {
    hashes = 0;
    firstLie = time;
  }

  public synchronized long copiedOut() {
    return copiedOut;
  }

  public synchronized long gathers() {
    return gathers;
  }

  /** How much memory is taken: 0 when all was given back. */
  public synchronized long taken() {
    return memory.values().stream().mapToLong(MemorySegment::byteSize).sum();
  }

  public synchronized int registered() {
    return registered.size();
  }

  private synchronized boolean isRegistered(MemorySegment host) {
    return registered.getOrDefault(host.address(), 0L) >= host.byteSize();
  }

  /** How often it has hashed memory of the host. */
  public synchronized long hostHashes() {
    return hostHashes;
  }

  /** What is at an address. */
  public synchronized MemorySegment at(long pointer, long bytes) {
    Map.Entry<Long, MemorySegment> found = memory.floorEntry(pointer);
    if (found == null || pointer - found.getKey() + bytes > found.getValue().byteSize()) {
      throw new DeviceException(
          "0x%x is no memory of the device (any more); unprotect it before it is freed"
              .formatted(pointer));
    }
    return found.getValue().asSlice(pointer - found.getKey(), bytes);
  }

  private synchronized boolean isKnown(long pointer) {
    Map.Entry<Long, MemorySegment> found = memory.floorEntry(pointer);
    return found != null && pointer - found.getKey() < found.getValue().byteSize();
  }

  private void called(String what) {
    long call = calls.getAndIncrement();
    if (call == failingCall || lost && call > failingCall && failingCall >= 0) {
      throw new DeviceException(what + " failed: CUDA_ERROR_LAUNCH_FAILED; start again");
    }
  }

  // ---------------------------------------------------------------- what Cairn asks of it

  @Override
  public String name() {
    return "host device";
  }

  @Override
  public boolean computes(HashAlgorithm algorithm) {
    return algorithm != WeakHash.CRC32C;
  }

  @Override
  public synchronized void check(long pointer, long bytes) {
    called("check");
    at(pointer, bytes);
  }

  @Override
  public void await() {
    called("await");
  }

  @Override
  public void await(long stream) {
    called("await");
  }

  @Override
  public synchronized void hash(
      long pointer, long bytes, int blockSize, HashAlgorithm algorithm, long[] digests, int at) {
    called("hash");
    Hashers.of(algorithm).hash(at(pointer, bytes), 0, bytes, blockSize, digests, at);
    if (hashes++ >= firstLie) {
      for (int i = 0; i < Math.ceilDiv(bytes, blockSize); i++) {
        digests[2 * (at + i)] ^= 1;
      }
    }
  }

  @Override
  public synchronized void hashHost(
      MemorySegment data, int blockSize, HashAlgorithm algorithm, long[] digests, int at) {
    called("hashHost");
    Hashers.of(algorithm).hash(data, 0, data.byteSize(), blockSize, digests, at);
    if (hostHashes++ >= firstLie) {
      digests[2 * at]++;
    }
  }

  @Override
  public synchronized long freeBytes() {
    called("freeBytes");
    return limit - taken();
  }

  private record Own(HostDevice device, long pointer, long bytes) implements Buffer {
    @Override
    public void close() {
      device.free(pointer);
    }
  }

  @Override
  public synchronized Buffer allocate(long bytes) {
    called("allocate");
    if (bytes > limit - taken()) {
      throw new DeviceException(
          "taking %d bytes failed: CUDA_ERROR_OUT_OF_MEMORY; free some memory of the device"
              .formatted(bytes));
    }
    long pointer = next;
    next += APART;
    memory.put(pointer, Arena.ofAuto().allocate(Math.max(1, bytes), 64));
    return new Own(this, pointer, bytes);
  }

  /** As a program frees it, perhaps too early. */
  public synchronized void free(long pointer) {
    memory.remove(pointer);
  }

  @Override
  public synchronized void gather(
      long pointer, long bytes, int blockSize, int[] chosen, int from, int count, Buffer target) {
    called("gather");
    gathers++;
    for (int i = 0; i < count; i++) {
      long offset = (long) chosen[from + i] * blockSize;
      long length = Math.min(blockSize, bytes - offset);
      MemorySegment.copy(
          at(pointer, bytes),
          offset,
          at(target.pointer(), target.bytes()),
          (long) i * blockSize,
          length);
    }
  }

  /** A copy that has begun; the bytes are there when somebody has waited for them. */
  private final class Pending implements Copy {
    private final MemorySegment from;
    private final MemorySegment to;
    private boolean done;

    private Pending(MemorySegment from, MemorySegment to) {
      this.from = from;
      this.to = to;
    }

    private void finish() {
      if (!done) {
        done = true;
        MemorySegment.copy(from, 0, to, 0, from.byteSize());
      }
    }

    @Override
    public void await() {
      synchronized (HostDevice.this) {
        // What has begun ends, whatever the driver says.
        finish();
        called("copy");
      }
    }
  }

  private Copy begin(MemorySegment from, MemorySegment to) {
    Pending copy = new Pending(from, to);
    Pending before = streams.put(copies++ & 1, copy);
    if (before != null) {
      before.finish();
    }
    return copy;
  }

  @Override
  public synchronized Copy copyOut(long pointer, MemorySegment target) {
    called("copyOut");
    copiedOut += target.byteSize();
    return begin(at(pointer, target.byteSize()), target);
  }

  @Override
  public synchronized Copy copyIn(MemorySegment source, long pointer) {
    called("copyIn");
    return begin(source, at(pointer, source.byteSize()));
  }

  @Override
  public synchronized Registration register(MemorySegment host) {
    called("register");
    registered.put(host.address(), host.byteSize());
    return () -> {
      synchronized (this) {
        registered.remove(host.address());
      }
    };
  }
}
