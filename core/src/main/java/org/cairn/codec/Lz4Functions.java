// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions of liblz4 that {@link Lz4BlockCodec} uses. Initializing this class loads it. */
record Lz4Functions(
    MethodHandle sizeofState, MethodHandle compressFastExtState, MethodHandle decompressSafe) {

  static final NativeLibrary<Lz4Functions> LIBRARY = NativeLibrary.load("lz4", Lz4Functions::bind);

  private static Lz4Functions bind(NativeLibrary.Binder library) {
    return new Lz4Functions(
        library.function("LZ4_sizeofState", FunctionDescriptor.of(JAVA_INT)),
        library.function(
            "LZ4_compress_fast_extState",
            FunctionDescriptor.of(
                JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT)),
        library.function(
            "LZ4_decompress_safe",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT)));
  }

  /** How many bytes a compression state has. */
  int stateSize() {
    try {
      return (int) sizeofState.invokeExact();
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  /** The compressed size, or 0 if the target is too small. */
  int compress(
      MemorySegment state,
      MemorySegment source,
      int length,
      MemorySegment target,
      int room,
      int acceleration) {
    try {
      return (int)
          compressFastExtState.invokeExact(state, source, target, length, room, acceleration);
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  /** The expanded size, or a negative number if the source is malformed or the target too small. */
  int decompress(MemorySegment source, int storedLength, MemorySegment target, int room) {
    try {
      return (int) decompressSafe.invokeExact(source, target, storedLength, room);
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }
}
