// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.cairn.Codec;
import org.jspecify.annotations.Nullable;

/**
 * {@link Codec#DEFLATE}: raw deflate by the JDK.
 *
 * <p>{@link Deflater} takes byte buffers, and a buffer over a segment is a new object per block; so
 * all blocks go through two buffers of our own. Copying costs a percent of what deflate does.
 */
final class DeflateBlockCodec implements BlockCodec {
  private static final boolean RAW = true;

  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, RAW);
  private final Inflater inflater = new Inflater(RAW);
  private final Scratch sourceScratch = new Scratch();
  private final Scratch targetScratch = new Scratch();

  @Override
  public long maxCompressedLength(int length) {
    return Ranges.checkLength(length);
  }

  @Override
  public int compress(
      MemorySegment source,
      long sourceOffset,
      int length,
      MemorySegment target,
      long targetOffset,
      long targetCapacity) {
    Ranges.check(
        source, sourceOffset, Ranges.checkLength(length), target, targetOffset, targetCapacity);
    int room = (int) Math.min(targetCapacity, length - 1L);
    if (room <= 0) {
      return -1;
    }
    ByteBuffer from = staged(source, sourceOffset, length);
    deflater.reset();
    deflater.setInput(from);
    deflater.finish();
    int size = deflater.deflate(targetScratch.ensureBuffer(room));
    if (!deflater.finished()) {
      return -1;
    }
    MemorySegment.copy(targetScratch.ensure(size), 0, target, targetOffset, size);
    return size;
  }

  @Override
  public void decompress(
      MemorySegment source,
      long sourceOffset,
      int storedLength,
      MemorySegment target,
      long targetOffset,
      int length) {
    Ranges.check(
        source, sourceOffset, storedLength, target, targetOffset, Ranges.checkLength(length));
    Ranges.checkStored(storedLength, length);
    ByteBuffer from = staged(source, sourceOffset, storedLength);
    inflater.reset();
    inflater.setInput(from);
    // Room for one byte more shows streams that are too long, and lets zlib reach the end mark.
    checkExpanded(storedLength, length, inflate(targetScratch.ensureBuffer(length + 1)));
    MemorySegment.copy(targetScratch.ensure(length), 0, target, targetOffset, length);
  }

  private ByteBuffer staged(MemorySegment source, long offset, int length) {
    MemorySegment.copy(source, offset, sourceScratch.ensure(length), 0, length);
    return sourceScratch.ensureBuffer(length);
  }

  /**
   * Inflates until the end, the end of the buffer, or until nothing moves.
   *
   * @return what zlib complains about, or null
   */
  private @Nullable String inflate(ByteBuffer buffer) {
    try {
      int made;
      do {
        made = inflater.inflate(buffer);
      } while (made > 0 && !inflater.finished());
      return null;
    } catch (DataFormatException e) {
      return "zlib says: " + e.getMessage();
    }
  }

  private void checkExpanded(int storedLength, int length, @Nullable String complaint) {
    long expanded = inflater.getBytesWritten();
    int unused = inflater.getRemaining();
    if (complaint != null || expanded != length || !inflater.finished() || unused != 0) {
      throw new CodecException(
          "%d stored bytes should expand to %d, but %s"
              .formatted(
                  storedLength,
                  length,
                  complaint != null
                      ? complaint
                      : "made %d and %s, with %d left over"
                          .formatted(
                              expanded, inflater.finished() ? "ended" : "did not end", unused)));
    }
  }

  @Override
  public void close() {
    deflater.end();
    inflater.end();
    sourceScratch.close();
    targetScratch.close();
  }
}
