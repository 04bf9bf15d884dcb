// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.cairn.device.DeviceException;
import org.cairn.supply.NativeAccess;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * CUDA's driver in this process, or the reason why there is none. Absence is a value.
 *
 * @param driver what was bound; null if and only if there is a problem
 * @param problem why not, and what to do
 */
record CudaLibrary(@Nullable CudaDriver driver, Optional<String> problem) {
  /** The file of the driver, where it is not found by itself. */
  static final String PROPERTY = "cairn.cuda.library";

  private static final List<String> NAMES =
      List.of(
          "libcuda.so.1",
          "/usr/local/nvidia/lib64/libcuda.so.1",
          "/usr/lib/wsl/lib/libcuda.so.1",
          "nvcuda.dll");

  /** What this process uses. Initializing this class loads it. */
  static final CudaLibrary LOADED = load(Optional.ofNullable(System.getProperty(PROPERTY)));

  /** Loads the driver for the rest of the process. Never throws. */
  static CudaLibrary load(Optional<String> named) {
    try {
      return named.map(List::of).orElse(NAMES).stream()
          .flatMap(name -> open(name).stream())
          .findFirst()
          .map(CudaLibrary::start)
          .orElseGet(
              () ->
                  absent(
                      "there is no NVIDIA driver (%s is not found); install one, or name the file with -D%s"
                          .formatted(named.orElse("libcuda.so.1"), PROPERTY)));
    } catch (IllegalCallerException e) {
      return absent(
          "calls of CUDA's driver need native access: start java with "
              + NativeAccess.flag(CudaLibrary.class));
    }
  }

  private static CudaLibrary absent(String why) {
    return new CudaLibrary(null, Optional.of(why));
  }

  private static Optional<SymbolLookup> open(String name) {
    try {
      return Optional.of(SymbolLookup.libraryLookup(name, Arena.global()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static CudaLibrary start(SymbolLookup library) {
    try {
      CudaDriver driver = new CudaDriver(CudaFunctions.of(library));
      driver.init();
      return driver.count() == 0
          ? absent("the NVIDIA driver finds no device; look at CUDA_VISIBLE_DEVICES and nvidia-smi")
          : new CudaLibrary(driver, Optional.empty());
    } catch (DeviceException e) {
      return absent("the NVIDIA driver cannot be used: " + e.getMessage());
    } catch (NoSuchElementException e) {
      return absent(
          "the NVIDIA driver is too old (%s); Cairn needs one of CUDA 10.1 or newer"
              .formatted(e.getMessage()));
    }
  }

  /**
   * Whether the driver is in this process, whoever has loaded it: otherwise nobody uses a device
   * here. Never loads it.
   */
  static boolean isThere() {
    return Loaded.INSTANCE.isThere(
        Optional.ofNullable(System.getProperty(PROPERTY)).orElse(NAMES.getFirst()));
  }

  /** Asks the dynamic linker what is loaded. */
  private static final class Loaded {
    static final Loaded INSTANCE = new Loaded();

    private static final int LAZY_AND_NOT_TO_BE_LOADED = 1 | 4;

    private final @Nullable MethodHandle dlopen = handle("dlopen", ADDRESS, ADDRESS, JAVA_INT);
    private final @Nullable MethodHandle dlclose = handle("dlclose", JAVA_INT, ADDRESS);

    private static @Nullable MethodHandle handle(
        String name, MemoryLayout result, MemoryLayout... arguments) {
      boolean asked =
          System.getProperty("os.name").equals("Linux")
              && CudaLibrary.class.getModule().isNativeAccessEnabled();
      Linker linker = Linker.nativeLinker();
      return asked
          ? linker
              .defaultLookup()
              .find(name)
              .map(f -> linker.downcallHandle(f, FunctionDescriptor.of(result, arguments)))
              .orElse(null)
          : null;
    }

    boolean isThere(String file) {
      if (dlopen == null || dlclose == null) {
        return false;
      }
      try (Arena arena = Supply.confinedArena()) {
        MemorySegment found =
            (MemorySegment) dlopen.invokeExact(arena.allocateFrom(file), LAZY_AND_NOT_TO_BE_LOADED);
        if (found.address() == 0) {
          return false;
        }
        int _ = (int) dlclose.invokeExact(found); // it was counted once more
        return true;
      } catch (Throwable e) {
        throw CudaDriver.unexpected(e);
      }
    }
  }
}
