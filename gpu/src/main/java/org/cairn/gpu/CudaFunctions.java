// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;

/**
 * The functions of CUDA's driver that are used here, as they are declared in {@code cuda.h}.
 * Handles and addresses of the device are passed as numbers, memory of the host as addresses. All
 * of them answer with an error number.
 */
record CudaFunctions(
    MethodHandle init,
    MethodHandle deviceGetCount,
    MethodHandle deviceGetName,
    MethodHandle primaryCtxRetain,
    MethodHandle ctxPushCurrent,
    MethodHandle ctxPopCurrent,
    MethodHandle ctxSynchronize,
    MethodHandle ctxGetDevice,
    MethodHandle moduleLoadDataEx,
    MethodHandle moduleGetFunction,
    MethodHandle launchKernel,
    MethodHandle memAlloc,
    MethodHandle memFree,
    MethodHandle memGetInfo,
    MethodHandle memcpyDtoHAsync,
    MethodHandle memcpyHtoDAsync,
    MethodHandle streamCreate,
    MethodHandle streamSynchronize,
    MethodHandle memHostRegister,
    MethodHandle memHostUnregister,
    MethodHandle memHostAlloc,
    MethodHandle pointerGetAttribute,
    MethodHandle getErrorName,
    MethodHandle getErrorString) {

  /**
   * Finds all of them.
   *
   * @throws NoSuchElementException naming what the library lacks
   */
  static CudaFunctions of(SymbolLookup library) {
    Binder find = new Binder(library, Linker.nativeLinker());
    return new CudaFunctions(
        find.function("cuInit", JAVA_INT),
        find.function("cuDeviceGetCount", ADDRESS),
        find.function("cuDeviceGetName", ADDRESS, JAVA_INT, JAVA_INT),
        find.function("cuDevicePrimaryCtxRetain", ADDRESS, JAVA_INT),
        find.function("cuCtxPushCurrent_v2", JAVA_LONG),
        find.function("cuCtxPopCurrent_v2", ADDRESS),
        find.function("cuCtxSynchronize"),
        find.function("cuCtxGetDevice", ADDRESS),
        find.function("cuModuleLoadDataEx", ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS),
        find.function("cuModuleGetFunction", ADDRESS, JAVA_LONG, ADDRESS),
        find.function(
            "cuLaunchKernel",
            JAVA_LONG,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_LONG,
            ADDRESS,
            ADDRESS),
        find.function("cuMemAlloc_v2", ADDRESS, JAVA_LONG),
        find.function("cuMemFree_v2", JAVA_LONG),
        find.function("cuMemGetInfo_v2", ADDRESS, ADDRESS),
        find.function("cuMemcpyDtoHAsync_v2", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        find.function("cuMemcpyHtoDAsync_v2", JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG),
        find.function("cuStreamCreate", ADDRESS, JAVA_INT),
        find.function("cuStreamSynchronize", JAVA_LONG),
        find.function("cuMemHostRegister_v2", ADDRESS, JAVA_LONG, JAVA_INT),
        find.function("cuMemHostUnregister", ADDRESS),
        find.function("cuMemHostAlloc", ADDRESS, JAVA_LONG, JAVA_INT),
        find.function("cuPointerGetAttribute", ADDRESS, JAVA_INT, JAVA_LONG),
        find.function("cuGetErrorName", JAVA_INT, ADDRESS),
        find.function("cuGetErrorString", JAVA_INT, ADDRESS));
  }

  private record Binder(SymbolLookup library, Linker linker) {
    MethodHandle function(String name, MemoryLayout... parameters) {
      return linker.downcallHandle(
          library.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, parameters));
    }
  }
}
