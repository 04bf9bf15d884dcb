// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.cairn.device.DeviceException;
import org.cairn.supply.NativeAccess;
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
}
