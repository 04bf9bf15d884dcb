// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.cairn.CodecUnavailableException;
import org.cairn.supply.Supply;

/**
 * Expands what {@link ZstdCompressor} made, straight into the target: a window costs no memory. For
 * one thread at a time.
 */
public final class ZstdExpander implements AutoCloseable {
  private final ZstdFunctions zstd = ZstdFunctions.LIBRARY.get();
  private final Arena arena = Supply.sharedArena();
  private final MemorySegment context = zstd.newDecompressor(arena);

  /**
   * A context of its own.
   *
   * @throws CodecUnavailableException if there is no library
   */
  public ZstdExpander() {}

  /**
   * Expands all bytes of a segment to exactly those of another. Both are native.
   *
   * @throws CodecException if they are anything else than one frame of that many bytes
   */
  public void expand(MemorySegment source, MemorySegment target) {
    Ranges.check(source, 0, source.byteSize(), target, 0, target.byteSize());
    long frame = zstd.frameSize(source, source.byteSize());
    if (frame != source.byteSize()) {
      throw new CodecException(
          "%d stored bytes are not one zstd frame%s"
              .formatted(source.byteSize(), frame < 0 ? ": " + zstd.errorName(frame) : ""));
    }
    long size = zstd.decompress(context, source, source.byteSize(), target, target.byteSize());
    if (size != target.byteSize()) {
      throw new CodecException(
          "%d stored bytes should expand to %d, but %s"
              .formatted(
                  source.byteSize(),
                  target.byteSize(),
                  size < 0 ? "zstd says: " + zstd.errorName(size) : "expand to " + size));
    }
  }

  /**
   * How many bytes the frame has that some begin with, in native memory.
   *
   * @throws CodecException if they begin with none, or not with all of it
   */
  public long frameLength(MemorySegment source) {
    long length = zstd.frameSize(source, source.byteSize());
    if (length < 0) {
      throw new CodecException("no zstd frame: " + zstd.errorName(length));
    }
    return length;
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
