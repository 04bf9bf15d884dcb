// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.Codec;
import org.cairn.codec.BlockCodecs;
import org.cairn.codec.ZstdCompressor;
import org.cairn.record.Digest;
import org.cairn.record.RecordWriter;
import org.cairn.transform.Transformer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes frames of pieces.
 *
 * <pre>
 * Frame   → Content, or one zstd frame of it if that is smaller
 * Content → Table Transformed
 * </pre>
 *
 * <p>One for each thread: its memory, about as large as a frame and what the transforms take, is
 * used again. All pieces are read before the target is written, so it may be their own memory.
 *
 * <p>Where there is no zstd library frames are stored as they are, with one warning for the
 * process.
 */
public final class FrameEncoder implements AutoCloseable {
  /** Stores bytes as they are: neither transforms nor zstd. */
  public static final int NO_LEVEL = 0;

  private static final Logger LOG = LoggerFactory.getLogger(FrameEncoder.class);
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  private final Transformer transformer = new Transformer();
  private final FrameMemory content = new FrameMemory();
  private final FrameMemory compressed = new FrameMemory();
  private @Nullable ZstdCompressor zstd;

  /** How many bytes a frame of these pieces takes at most. */
  public static long mostStored(List<Piece> pieces) {
    return mostStored(plainLength(pieces), pieces.size());
  }

  /** How many bytes a frame takes at most. */
  public static long mostStored(long plainLength, int pieces) {
    return plainLength + FrameTable.mostBytes(Math.max(1, pieces));
  }

  private static long plainLength(List<Piece> pieces) {
    long length = 0;
    for (Piece piece : pieces) {
      length += piece.bytes().byteSize();
    }
    return length;
  }

  /**
   * Stores pieces, in their order.
   *
   * @param level of zstd, 1 to 19, or {@link #NO_LEVEL}
   * @param target at least {@link #mostStored} bytes
   * @return what to keep of it; the stored bytes are the first of the target
   */
  public FrameInfo encode(List<Piece> pieces, int level, MemorySegment target) {
    long plainLength = plainLength(pieces);
    if (pieces.size() > FrameTable.MOST_PIECES || plainLength > FrameInfo.MOST_PLAIN) {
      throw new IllegalArgumentException(
          "a frame of %d pieces and %d bytes".formatted(pieces.size(), plainLength));
    }
    boolean compresses = level != NO_LEVEL && canCompress();
    if (!compresses && canMove(pieces, target)) {
      return info(move(pieces, plainLength, target), plainLength, Codec.NONE, target);
    }
    MemorySegment whole = fill(pieces, plainLength, compresses);
    long size = compresses ? compress(whole, level, target) : -1;
    if (size >= 0) {
      return info(size, plainLength, Codec.ZSTD, target);
    }
    MemorySegment.copy(whole, 0, target, 0, whole.byteSize());
    return info(whole.byteSize(), plainLength, Codec.NONE, target);
  }

  private static FrameInfo info(long size, long plainLength, Codec codec, MemorySegment target) {
    return new FrameInfo(size, plainLength, codec, Digest.of(target.asSlice(0, size)));
  }

  /** Whether no piece lies in the target, other than where it will be but for the table. */
  private static boolean canMove(List<Piece> pieces, MemorySegment target) {
    long at = target.address();
    for (Piece piece : pieces) {
      MemorySegment bytes = piece.bytes();
      if (bytes.address() != at && target.asOverlappingSlice(bytes).isPresent()) {
        return false;
      }
      at += bytes.byteSize();
    }
    return true;
  }

  /** The last piece first: what is in the way of the others is gone then. */
  private long move(List<Piece> pieces, long plainLength, MemorySegment target) {
    MemorySegment memory = content.ensure(FrameTable.mostBytes(1));
    RecordWriter table = RecordWriter.into(memory);
    FrameTable.writePlain(plainLength, table);
    long end = table.position() + plainLength;
    long at = end;
    for (Piece piece : pieces.reversed()) {
      at -= piece.bytes().byteSize();
      MemorySegment.copy(piece.bytes(), 0, target, at, piece.bytes().byteSize());
    }
    MemorySegment.copy(memory, 0, target, 0, at);
    return end;
  }

  /** Table and pieces, in memory of this encoder. */
  private MemorySegment fill(List<Piece> pieces, long plainLength, boolean transforms) {
    MemorySegment memory = content.ensure(mostStored(plainLength, pieces.size()));
    RecordWriter table = RecordWriter.into(memory);
    if (transforms) {
      FrameTable.write(pieces, table);
    } else {
      FrameTable.writePlain(plainLength, table);
    }
    long at = table.position();
    for (Piece piece : pieces) {
      long length = piece.bytes().byteSize();
      if (transforms) {
        transformer.forward(piece.transform(), piece.bytes(), memory.asSlice(at, length));
      } else {
        MemorySegment.copy(piece.bytes(), 0, memory, at, length);
      }
      at += length;
    }
    return memory.asSlice(0, at);
  }

  /** How many bytes it takes compressed, or -1 if that is not less. */
  private long compress(MemorySegment whole, int level, MemorySegment target) {
    ZstdCompressor compressor = zstd;
    if (compressor == null) {
      compressor = new ZstdCompressor();
      zstd = compressor;
    }
    long room = whole.byteSize() - 1;
    if (target.isNative()) {
      return compressor.compress(whole, target.asSlice(0, room), level);
    }
    MemorySegment aside = compressed.ensure(room);
    long size = compressor.compress(whole, aside, level);
    if (size >= 0) {
      MemorySegment.copy(aside, 0, target, 0, size);
    }
    return size;
  }

  /** Whether there is a zstd library; whoever wants to compress is told once that there is none. */
  static boolean canCompress() {
    Optional<String> missing = BlockCodecs.unavailable(Codec.ZSTD);
    if (missing.isPresent() && !WARNED.getAndSet(true)) {
      LOG.warn("Nothing is compressed: {}", missing.get());
    }
    return missing.isEmpty();
  }

  @Override
  public void close() {
    content.close();
    compressed.close();
    if (zstd != null) {
      zstd.close();
      zstd = null;
    }
  }
}
