// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.device.Device;
import org.cairn.device.DeviceProvider;

/** The devices of CUDA's driver, each context of this process once. */
public final class CudaProvider implements DeviceProvider {
  /** Of the process, as contexts are: there may be several providers. */
  private static final Map<Long, CudaDevice> CONTEXTS = new ConcurrentHashMap<>();

  /**
   * Of memory of which a part may be registered places are asked about, evenly spread: so few at
   * least, one in so many bytes, and so many at most.
   */
  private static final int LEAST_PLACES = 64;

  private static final long APART = 1 << 20;
  private static final int MOST_PLACES = 1024;

  /** For {@code ServiceLoader}. */
  public CudaProvider() {}

  @Override
  public String name() {
    return "CUDA";
  }

  @Override
  public Optional<String> absence() {
    return CudaLibrary.LOADED.problem();
  }

  @Override
  public List<Device> devices() {
    CudaDriver driver = CudaLibrary.LOADED.driver();
    if (driver == null) {
      return List.of();
    }
    List<Device> all = new ArrayList<>();
    for (int i = 0; i < driver.count(); i++) {
      all.add(of(driver, primaryContext(driver, i)));
    }
    return all;
  }

  /** The one that programs of the toolkit's run-time library use; kept until the process ends. */
  private static long primaryContext(CudaDriver driver, int device) {
    return driver.answer(
        "opening device " + device,
        place -> CudaDriver.call(driver.functions().primaryCtxRetain(), place, device));
  }

  private static CudaDevice of(CudaDriver driver, long context) {
    return CONTEXTS.computeIfAbsent(context, known -> new CudaDevice(driver, known));
  }

  @Override
  public Optional<Device> deviceOf(long pointer) {
    CudaDriver driver = CudaLibrary.LOADED.driver();
    if (driver == null || !isOnDevice(driver, pointer)) {
      return Optional.empty();
    }
    return Optional.of(owner(driver, pointer));
  }

  /** What comes from a pool belongs to a device, and to no context of it. */
  private static CudaDevice owner(CudaDriver driver, long pointer) {
    long context = driver.attribute(CudaDriver.POINTER_CONTEXT, pointer).orElse(0);
    if (context != 0) {
      return of(driver, context);
    }
    long device = driver.attribute(CudaDriver.POINTER_DEVICE, pointer).orElse(0);
    return of(driver, primaryContext(driver, (int) device));
  }

  private static boolean isOnDevice(CudaDriver driver, long pointer) {
    return isOfType(driver, pointer, CudaDriver.MEMORY_TYPE_DEVICE);
  }

  private static boolean isOfType(CudaDriver driver, long pointer, int wanted) {
    OptionalLong type = driver.attribute(CudaDriver.POINTER_MEMORY_TYPE, pointer);
    return type.isPresent() && (int) type.getAsLong() == wanted;
  }

  @Override
  public Optional<Device> registered(MemorySegment host) {
    CudaDriver driver = CudaLibrary.LOADED.driver();
    if (driver == null || !host.isNative() || host.byteSize() == 0) {
      return Optional.empty();
    }
    long first = host.address();
    long last = first + host.byteSize() - 1;
    return isOfType(driver, first, CudaDriver.MEMORY_TYPE_HOST)
            && isOfType(driver, last, CudaDriver.MEMORY_TYPE_HOST)
        ? Optional.of(owner(driver, first))
        : Optional.empty();
  }

  @Override
  public Optional<Device> reaching(MemorySegment host) {
    if (!host.isNative() || host.byteSize() == 0 || !CudaLibrary.isThere()) {
      return Optional.empty();
    }
    CudaDriver driver = CudaLibrary.LOADED.driver();
    if (driver == null) {
      return Optional.empty();
    }
    long last = host.byteSize() - 1;
    int places = Math.clamp(1 + Math.ceilDiv(last, APART), LEAST_PLACES, MOST_PLACES);
    for (int i = 0; i < places; i++) {
      long pointer = host.address() + Math.min(last, (long) ((double) last * i / (places - 1)));
      if (isOfType(driver, pointer, CudaDriver.MEMORY_TYPE_HOST)) {
        return Optional.of(owner(driver, pointer));
      }
    }
    return Optional.empty();
  }
}
