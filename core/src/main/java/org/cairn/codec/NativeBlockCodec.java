// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.MemorySegment;

/**
 * The part that codecs in native libraries share: checks, and the way of heap segments through
 * scratch memory.
 *
 * <p>The libraries get the exact lengths of both ranges, so their own bounds checks hold them
 * inside. While they run, the linker keeps both segments alive.
 *
 * <p>Large native ranges are passed on as slices, two objects of 40 bytes unless the JIT removes
 * them. Ranges up to {@link #STAGED} bytes, and all if either side is on the heap, go through
 * scratch memory, which needs no slices: so many small blocks make no garbage, at the price of a
 * copy.
 */
abstract class NativeBlockCodec implements BlockCodec {
  private static final int STAGED = 1 << 14;

  private final Scratch sourceScratch = new Scratch();
  private final Scratch targetScratch = new Scratch();

  /** Compresses the first bytes of the source; -1 if there is not enough room. Both are native. */
  abstract int compress(MemorySegment source, int length, MemorySegment target, int room);

  /**
   * Expands the first bytes of the source. Both are native.
   *
   * @return the number of bytes written, at most {@code room}, or a negative error
   */
  abstract long decompress(MemorySegment source, int storedLength, MemorySegment target, int room);

  /** What a negative result of {@code decompress} means. */
  abstract String describe(long error);

  @Override
  public final long maxCompressedLength(int length) {
    return Ranges.checkLength(length);
  }

  @Override
  public final int compress(
      MemorySegment source,
      long sourceOffset,
      int length,
      MemorySegment target,
      long targetOffset,
      long targetCapacity) {
    Ranges.check(
        source, sourceOffset, Ranges.checkLength(length), target, targetOffset, targetCapacity);
    // One byte short of the source: the library itself gives up on what would not be smaller.
    int room = (int) Math.min(targetCapacity, length - 1L);
    if (room <= 0) {
      return -1;
    }
    if (length > STAGED && source.isNative() && target.isNative()) {
      return compress(
          source.asSlice(sourceOffset, length), length, target.asSlice(targetOffset, room), room);
    }
    MemorySegment from = staged(source, sourceOffset, length);
    MemorySegment to = targetScratch.ensure(room);
    int size = compress(from, length, to, room);
    if (size > 0) {
      MemorySegment.copy(to, 0, target, targetOffset, size);
    }
    return size;
  }

  @Override
  public final void decompress(
      MemorySegment source,
      long sourceOffset,
      int storedLength,
      MemorySegment target,
      long targetOffset,
      int length) {
    Ranges.check(
        source, sourceOffset, storedLength, target, targetOffset, Ranges.checkLength(length));
    Ranges.checkStored(storedLength, length);
    if (length > STAGED && source.isNative() && target.isNative()) {
      long expanded =
          decompress(
              source.asSlice(sourceOffset, storedLength),
              storedLength,
              target.asSlice(targetOffset, length),
              length);
      checkExpanded(storedLength, length, expanded);
      return;
    }
    MemorySegment from = staged(source, sourceOffset, storedLength);
    MemorySegment to = targetScratch.ensure(length);
    checkExpanded(storedLength, length, decompress(from, storedLength, to, length));
    MemorySegment.copy(to, 0, target, targetOffset, length);
  }

  private MemorySegment staged(MemorySegment segment, long offset, int length) {
    MemorySegment staged = sourceScratch.ensure(length);
    MemorySegment.copy(segment, offset, staged, 0, length);
    return staged;
  }

  private void checkExpanded(int storedLength, int length, long expanded) {
    if (expanded != length) {
      throw new CodecException(
          "%d stored bytes should expand to %d, but %s"
              .formatted(
                  storedLength,
                  length,
                  expanded < 0 ? describe(expanded) : "expand to " + expanded));
    }
  }

  @Override
  public void close() {
    sourceScratch.close();
    targetScratch.close();
  }
}
