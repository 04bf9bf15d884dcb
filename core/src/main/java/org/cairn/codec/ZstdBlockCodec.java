// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.cairn.Codec;
import org.cairn.supply.Supply;

/**
 * {@link Codec#ZSTD}: one frame per block. Make it only where {@link ZstdFunctions#LIBRARY} is
 * there.
 *
 * <p>A frame is expanded straight into the target, so the window size it claims costs no memory.
 */
final class ZstdBlockCodec extends NativeBlockCodec {
  // A constant to the JIT, which can then inline the calls.
  private static final ZstdFunctions ZSTD = ZstdFunctions.LIBRARY.get();
  private static final int LEVEL = 1;
  private static final long NOT_ONE_FRAME = Long.MIN_VALUE;
  private static final ValueLayout.OfInt LITTLE_ENDIAN_INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Arena arena = Supply.sharedArena();
  private final MemorySegment compressor = ZSTD.newCompressor(arena);
  private final MemorySegment decompressor = ZSTD.newDecompressor(arena);

  @Override
  int compress(MemorySegment source, int length, MemorySegment target, int room) {
    long size = ZSTD.compress(compressor, source, length, target, room, LEVEL);
    if (size >= 0) {
      return (int) size;
    }
    if (size == ZstdFunctions.TARGET_TOO_SMALL) {
      return -1;
    }
    throw new IllegalStateException("zstd cannot compress: " + ZSTD.errorName(size));
  }

  @Override
  long decompress(MemorySegment source, int storedLength, MemorySegment target, int room) {
    if (!isOneFrame(source, storedLength)) {
      return NOT_ONE_FRAME;
    }
    return ZSTD.decompress(decompressor, source, storedLength, target, room);
  }

  /**
   * Left alone, libzstd expands any sequence of frames, and hands those of version 0.7 to a decoder
   * of that time, which we neither need nor want to meet with hostile bytes.
   */
  private static boolean isOneFrame(MemorySegment source, int storedLength) {
    return storedLength > Integer.BYTES
        && source.get(LITTLE_ENDIAN_INT, 0) == ZstdFunctions.MAGIC
        && ZSTD.frameSize(source, storedLength) == storedLength;
  }

  @Override
  String describe(long error) {
    return error == NOT_ONE_FRAME
        ? "are not one zstd frame"
        : "zstd says: " + ZSTD.errorName(error);
  }

  @Override
  public void close() {
    super.close();
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
