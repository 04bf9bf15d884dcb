// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.OptionalLong;
import java.util.function.ToIntFunction;
import org.cairn.device.DeviceException;
import org.cairn.supply.Supply;

/** Calls of the driver, with its errors as exceptions. */
record CudaDriver(CudaFunctions functions) {
  private static final int INVALID_VALUE = 1;
  private static final int OUT_OF_MEMORY = 2;

  /** Attributes of addresses, as numbered in {@code cuda.h}. */
  static final int POINTER_CONTEXT = 1;

  static final int POINTER_MEMORY_TYPE = 2;
  static final int POINTER_DEVICE = 9;
  static final int POINTER_RANGE_START = 11;
  static final int POINTER_RANGE_SIZE = 12;

  /** The type of memory of the host that a device reaches by itself. */
  static final int MEMORY_TYPE_HOST = 1;

  /** The type of memory that lies on a device. */
  static final int MEMORY_TYPE_DEVICE = 2;

  void init() {
    check("starting the driver", call(functions.init(), 0));
  }

  /** How many devices there are. */
  int count() {
    return (int) answer("counting devices", place -> call(functions.deviceGetCount(), place));
  }

  // ---------------------------------------------------------------- calls

  static int call(MethodHandle function) {
    try {
      return (int) function.invokeExact();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int call(MethodHandle function, int a) {
    try {
      return (int) function.invokeExact(a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int call(MethodHandle function, long a) {
    try {
      return (int) function.invokeExact(a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int call(MethodHandle function, MemorySegment a) {
    try {
      return (int) function.invokeExact(a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int call(MethodHandle function, MemorySegment a, long b) {
    try {
      return (int) function.invokeExact(a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int call(MethodHandle function, MemorySegment a, int b) {
    try {
      return (int) function.invokeExact(a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static int call(MethodHandle function, MemorySegment a, MemorySegment b) {
    try {
      return (int) function.invokeExact(a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Gives back what a call may throw unchecked; checked exceptions there are none. */
  static RuntimeException unexpected(Throwable thrown) {
    return switch (thrown) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> throw new AssertionError("Native calls throw no checked exceptions", thrown);
    };
  }

  /** What a function puts where it is told to. */
  long answer(String what, ToIntFunction<MemorySegment> function) {
    try (Arena arena = Supply.confinedArena()) {
      MemorySegment place = arena.allocate(ValueLayout.JAVA_LONG);
      check(what, function.applyAsInt(place));
      return place.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** What the driver knows of an address; empty if it knows no such address. */
  OptionalLong attribute(int attribute, long pointer) {
    try (Arena arena = Supply.confinedArena()) {
      MemorySegment place = arena.allocate(ValueLayout.JAVA_LONG);
      int error = pointerAttribute(place, attribute, pointer);
      if (error == INVALID_VALUE) {
        return OptionalLong.empty();
      }
      check("asking about 0x%x".formatted(pointer), error);
      return OptionalLong.of(place.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  private int pointerAttribute(MemorySegment place, int attribute, long pointer) {
    try {
      return (int) functions.pointerGetAttribute().invokeExact(place, attribute, pointer);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  // ---------------------------------------------------------------- errors

  /**
   * Makes an exception of an error number.
   *
   * @param what was being done
   */
  void check(String what, int error) {
    if (error != 0) {
      throw failure(what, error);
    }
  }

  DeviceException failure(String what, int error) {
    return new DeviceException(
        "%s failed: %s (%s); %s"
            .formatted(
                what,
                text(functions.getErrorName(), error, "CUDA error " + error),
                text(functions.getErrorString(), error, "no description"),
                remedy(error)));
  }

  private static String text(MethodHandle function, int error, String otherwise) {
    try (Arena arena = Supply.confinedArena()) {
      MemorySegment place = arena.allocate(ADDRESS);
      int answer = (int) function.invokeExact(error, place);
      MemorySegment text = place.get(ADDRESS, 0);
      return answer != 0 || text.address() == 0 ? otherwise : text.reinterpret(1000).getString(0);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static String remedy(int error) {
    return switch (error) {
      case INVALID_VALUE -> "is the memory still allocated, and as large as was said?";
      case OUT_OF_MEMORY -> "free some memory of the device, or protect less of it at a time";
      case 3, 4, 201, 709 -> "its context is gone; keep it until the Checkpointer is closed";
      case 100, 101, 46, 802, 803 -> "look at nvidia-smi, and whether another program has it alone";
      case 214, 700, 702, 710, 716, 717, 718, 719, 999 ->
          "the device or its context is lost to this process; start again from the last checkpoint";
      case 218, 222 -> "the driver does not understand Cairn's kernels; update it";
      case 712 -> "register memory once";
      case 304, 801 -> "raise the limit of locked memory (ulimit -l)";
      default -> "look at nvidia-smi and the system's log";
    };
  }
}
