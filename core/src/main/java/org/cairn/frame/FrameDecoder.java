// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.cairn.Codec;
import org.cairn.CodecUnavailableException;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.codec.CodecException;
import org.cairn.codec.ZstdExpander;
import org.cairn.codec.ZstdHeader;
import org.cairn.transform.Transform;
import org.cairn.transform.Transformer;
import org.jspecify.annotations.Nullable;

/**
 * Gives back the plain bytes of frames, all of them or ranges.
 *
 * <p>One for each thread: its memory, about as large as a frame, is used again. It is taken only
 * after all that a frame claims was found possible; whoever made the frame may have made its
 * checksum, too. Damage is always an error and never other bytes.
 */
public final class FrameDecoder implements AutoCloseable {
  private static final long SMALLEST_WINDOW = 1 << 10;
  private static final int NO_PIECE = -1;

  private final Transformer transformer = new Transformer();
  private final FrameTable table = new FrameTable();
  private final FrameMemory expanded = new FrameMemory();
  private final FrameMemory aside = new FrameMemory();
  private final FrameMemory staged = new FrameMemory();
  private @Nullable ZstdExpander zstd;

  /** The pieces of the frame that is open, transformed. */
  private MemorySegment transformed = MemorySegment.NULL;

  /** The piece that was brought back for a part of it, and may be wanted for the next part. */
  private int pieceAside = NO_PIECE;

  private long plainLength;

  /**
   * Gives back all bytes of a frame.
   *
   * @param stored its bytes
   * @param file where they come from
   * @param offset where in the file
   * @param target just as many bytes as the frame has
   */
  public void decode(
      MemorySegment stored, FrameInfo info, String file, long offset, MemorySegment target)
      throws IOException {
    if (target.byteSize() != info.plainLength()) {
      throw new IllegalArgumentException(
          "a frame of %d bytes does not become %d"
              .formatted(info.plainLength(), target.byteSize()));
    }
    open(stored, info, file, offset);
    read(0, target);
  }

  /**
   * Verifies and expands a frame, of which {@link #read} then gives parts. The stored bytes must
   * stay as they are until the next frame is opened.
   *
   * @throws CorruptContainerException if the bytes are not what was written, or no frame
   * @throws UnsupportedFormatException if a newer release wrote it
   * @throws CodecUnavailableException if it is compressed and there is no zstd library
   */
  public void open(MemorySegment stored, FrameInfo info, String file, long offset)
      throws IOException {
    forget();
    info.check(file, offset);
    info.verify(stored, file, offset);
    MemorySegment content =
        info.codec() == Codec.NONE ? stored : expand(stored, info, file, offset);
    long tableLength = table.read(content, info.plainLength(), file, offset);
    transformed = content.asSlice(tableLength);
    plainLength = info.plainLength();
  }

  private void forget() {
    transformed = MemorySegment.NULL;
    pieceAside = NO_PIECE;
    plainLength = 0;
  }

  private MemorySegment expand(MemorySegment stored, FrameInfo info, String file, long offset)
      throws CorruptContainerException {
    try {
      long length = checkedLength(ZstdHeader.read(stored), info);
      ZstdExpander expander = zstd;
      if (expander == null) {
        expander = new ZstdExpander();
        zstd = expander;
      }
      MemorySegment content = expanded.ensure(length);
      expander.expand(inNativeMemory(stored), content);
      return content;
    } catch (CodecException e) {
      CorruptContainerException damage =
          new CorruptContainerException(file, offset, "a frame: " + e.getMessage());
      damage.initCause(e);
      throw damage;
    }
  }

  /** Our windows are never larger than the frame: others are a way to make decoders take memory. */
  private static long checkedLength(ZstdHeader header, FrameInfo info) {
    long content = header.content();
    if (content <= info.plainLength()
        || content > info.plainLength() + FrameTable.MOST_BYTES
        || header.window() > Math.max(content, SMALLEST_WINDOW)) {
      throw new CodecException(
          "zstd says %d bytes with a window of %d, expected %d and a table"
              .formatted(content, header.window(), info.plainLength()));
    }
    return content;
  }

  private MemorySegment inNativeMemory(MemorySegment stored) {
    return stored.isNative() ? stored : staged.ensure(stored.byteSize()).copyFrom(stored);
  }

  /** How many plain bytes the frame has that is open. */
  public long plainLength() {
    return plainLength;
  }

  /**
   * What was done to the piece of the frame that is open in which a plain byte lies.
   *
   * @param at the byte
   */
  public Transform transformAt(long at) {
    Objects.checkIndex(at, plainLength);
    int piece = table.pieceAt(at);
    while (table.start(piece + 1) <= at) {
      piece++; // empty ones have no bytes
    }
    return table.transform(piece);
  }

  /**
   * Gives back as many bytes of the frame that is open as the target has. Only pieces that have
   * some of them are brought back; parts of one piece are best read one after the other.
   *
   * @param from the first of them
   */
  public void read(long from, MemorySegment target) {
    Objects.checkFromIndexSize(from, target.byteSize(), plainLength);
    long end = from + target.byteSize();
    for (int piece = table.pieceAt(from);
        piece < table.count() && table.start(piece) < end;
        piece++) {
      long start = Math.max(from, table.start(piece));
      long length = Math.min(end, table.start(piece + 1)) - start;
      if (length > 0) {
        read(piece, start - table.start(piece), target.asSlice(start - from, length));
      }
    }
  }

  /**
   * Bytes of the frame that is open: where they lie if nothing was done to them, else brought back.
   *
   * @param room for as many bytes, in which they may be
   * @return valid until the next frame is opened, and as long as {@code room} stays as it is
   */
  public MemorySegment bytes(long from, MemorySegment room) {
    long length = room.byteSize();
    Objects.checkFromIndexSize(from, length, plainLength);
    int first = table.pieceAt(from);
    for (int piece = first; piece < table.count() && table.start(piece) < from + length; piece++) {
      if (!table.transform(piece).isNone()) {
        read(from, room);
        return room;
      }
    }
    return transformed.asSlice(from, length);
  }

  private void read(int piece, long from, MemorySegment target) {
    long length = table.start(piece + 1) - table.start(piece);
    MemorySegment source = transformed.asSlice(table.start(piece), length);
    Transform transform = table.transform(piece);
    if (transform.isNone()) {
      MemorySegment.copy(source, from, target, 0, target.byteSize());
    } else if (target.byteSize() == length) {
      transformer.inverse(transform, source, target);
    } else {
      MemorySegment.copy(broughtBack(piece, source), from, target, 0, target.byteSize());
    }
  }

  private MemorySegment broughtBack(int piece, MemorySegment source) {
    if (pieceAside == piece) {
      return aside.ensure(source.byteSize());
    }
    pieceAside = NO_PIECE; // what is there is lost, also if there is no memory
    MemorySegment whole = aside.ensure(source.byteSize());
    transformer.inverse(table.transform(piece), source, whole);
    pieceAside = piece;
    return whole;
  }

  @Override
  public void close() {
    forget();
    expanded.close();
    aside.close();
    staged.close();
    if (zstd != null) {
      zstd.close();
      zstd = null;
    }
  }
}
