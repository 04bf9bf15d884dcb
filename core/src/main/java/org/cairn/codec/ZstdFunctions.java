// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of libzstd that are used here, all of its stable interface. Initializing this class
 * loads it.
 *
 * <p>Sizes are {@code size_t}; as in C, an error is a number counted down from the largest, which
 * Java sees as negative.
 */
record ZstdFunctions(
    MethodHandle createCCtx,
    MethodHandle freeCCtx,
    MethodHandle compressCCtx,
    MethodHandle setParameter,
    MethodHandle reset,
    MethodHandle compress2,
    MethodHandle createDCtx,
    MethodHandle freeDCtx,
    MethodHandle decompressDCtx,
    MethodHandle findFrameCompressedSize,
    MethodHandle getErrorName) {

  /** {@code ZSTD_error_dstSize_tooSmall}; error numbers below 100 are fixed since zstd 1.3.1. */
  static final long TARGET_TOO_SMALL = -70;

  static final NativeLibrary<ZstdFunctions> LIBRARY =
      NativeLibrary.load("zstd", ZstdFunctions::bind);

  /** What a frame of zstd 1.0 or later begins with. */
  static final int MAGIC = 0xFD2FB528;

  /** {@code ZSTD_c_compressionLevel}. */
  static final int LEVEL = 100;

  /** {@code ZSTD_c_windowLog}. */
  static final int WINDOW_LOG = 101;

  /** {@code ZSTD_c_hashLog}; 0 leaves it to the level, as with those that follow. */
  static final int HASH_LOG = 102;

  /** {@code ZSTD_c_chainLog}. */
  static final int CHAIN_LOG = 103;

  /** {@code ZSTD_c_searchLog}. */
  static final int SEARCH_LOG = 104;

  /** {@code ZSTD_c_minMatch}. */
  static final int MIN_MATCH = 105;

  /** {@code ZSTD_reset_session_only}. */
  private static final int SESSION_ONLY = 1;

  private static final int LONGEST_ERROR_NAME = 256;

  private static ZstdFunctions bind(NativeLibrary.Binder library) {
    FunctionDescriptor create = FunctionDescriptor.of(ADDRESS);
    FunctionDescriptor free = FunctionDescriptor.of(JAVA_LONG, ADDRESS);
    return new ZstdFunctions(
        library.function("ZSTD_createCCtx", create),
        library.function("ZSTD_freeCCtx", free),
        library.function(
            "ZSTD_compressCCtx",
            FunctionDescriptor.of(
                JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT)),
        library.function(
            "ZSTD_CCtx_setParameter",
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT)),
        library.function("ZSTD_CCtx_reset", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_INT)),
        library.function(
            "ZSTD_compress2",
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG)),
        library.function("ZSTD_createDCtx", create),
        library.function("ZSTD_freeDCtx", free),
        library.function(
            "ZSTD_decompressDCtx",
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG)),
        library.function(
            "ZSTD_findFrameCompressedSize", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG)),
        library.function("ZSTD_getErrorName", FunctionDescriptor.of(ADDRESS, JAVA_LONG)));
  }

  /** A compression context that lives as long as the arena. */
  MemorySegment newCompressor(Arena arena) {
    return newContext(createCCtx, freeCCtx, arena);
  }

  /** A decompression context that lives as long as the arena. */
  MemorySegment newDecompressor(Arena arena) {
    return newContext(createDCtx, freeDCtx, arena);
  }

  private static MemorySegment newContext(MethodHandle create, MethodHandle free, Arena arena) {
    try {
      MemorySegment context = (MemorySegment) create.invokeExact();
      if (context.address() == 0) {
        throw new OutOfMemoryError("zstd has no memory for a context");
      }
      // Under the arena, a context that is closed while in use is an exception, not a crash.
      return context.reinterpret(arena, address -> free(free, address));
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  private static void free(MethodHandle free, MemorySegment context) {
    try {
      var _ = (long) free.invokeExact(context);
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  /** The compressed size, or a negative error. */
  long compress(
      MemorySegment context,
      MemorySegment source,
      long length,
      MemorySegment target,
      long room,
      int level) {
    try {
      return (long) compressCCtx.invokeExact(context, target, room, source, length, level);
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  /** Sets what holds for all that is compressed with a context from then on. */
  void set(MemorySegment context, int parameter, int value) {
    try {
      long result = (long) setParameter.invokeExact(context, parameter, value);
      if (result < 0) {
        throw new IllegalArgumentException(
            "zstd takes no %d as parameter %d: %s".formatted(value, parameter, errorName(result)));
      }
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  /** Forgets what was begun, but not the parameters: after an error none could be set. */
  void forget(MemorySegment context) {
    try {
      var _ = (long) reset.invokeExact(context, SESSION_ONLY);
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  /** The compressed size with the parameters that were set, or a negative error. */
  long compress(
      MemorySegment context, MemorySegment source, long length, MemorySegment target, long room) {
    try {
      return (long) compress2.invokeExact(context, target, room, source, length);
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  /** The expanded size, or a negative error. */
  long decompress(
      MemorySegment context,
      MemorySegment source,
      long storedLength,
      MemorySegment target,
      long room) {
    try {
      return (long) decompressDCtx.invokeExact(context, target, room, source, storedLength);
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  /** How many of the bytes the first frame takes, or a negative error. */
  long frameSize(MemorySegment source, long storedLength) {
    try {
      return (long) findFrameCompressedSize.invokeExact(source, storedLength);
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }

  /** What a negative result means, in zstd's words. */
  String errorName(long error) {
    try {
      MemorySegment name = (MemorySegment) getErrorName.invokeExact(error);
      return name.reinterpret(LONGEST_ERROR_NAME).getString(0);
    } catch (Throwable e) {
      throw NativeLibrary.unexpected(e);
    }
  }
}
