// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.Codec;
import org.cairn.CodecUnavailableException;
import org.cairn.CorruptContainerException;
import org.cairn.codec.CodecException;
import org.cairn.codec.ZstdExpander;
import org.cairn.codec.ZstdHeader;
import org.cairn.record.Digest;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what is known of a frame otherwise, from its bytes alone: where the list of frames is
 * lost. What it says of the checksum proves nothing; blocks have digests of their own. For one
 * thread at a time.
 */
public final class FrameProbe implements AutoCloseable {
  private final FrameMemory staged = new FrameMemory();
  private final FrameMemory expanded = new FrameMemory();
  private @Nullable ZstdExpander zstd;

  /** Memory of just so many bytes, for what is to be looked at; gone with the next one. */
  public MemorySegment memory(long bytes) {
    return staged.ensure(bytes);
  }

  /**
   * Looks at the frame that some bytes begin with.
   *
   * @param bytes in {@link #memory}; what is behind the frame does not matter
   * @return empty if they begin with no frame, or not with all of it
   * @throws CodecUnavailableException if it is compressed and there is no zstd library
   */
  public Optional<FrameInfo> probe(MemorySegment bytes, String file, long offset) {
    Optional<FrameInfo> compressed = probeCompressed(bytes, file, offset);
    return compressed.isPresent() ? compressed : probePlain(bytes, file, offset);
  }

  private Optional<FrameInfo> probeCompressed(MemorySegment bytes, String file, long offset) {
    try {
      ZstdHeader header = ZstdHeader.read(bytes);
      if (header.content() > FrameInfo.MOST_STORED) {
        return Optional.empty();
      }
      ZstdExpander expander = zstd;
      if (expander == null) {
        expander = new ZstdExpander();
        zstd = expander;
      }
      MemorySegment stored = bytes.asSlice(0, expander.frameLength(bytes));
      MemorySegment content = expanded.ensure(header.content());
      expander.expand(stored, content);
      FrameTable.Told told = FrameTable.told(content, file, offset);
      return told.bytes() + told.plainLength() == content.byteSize()
          ? checked(stored, told, Codec.ZSTD, file, offset)
          : Optional.empty();
    } catch (CodecException | IOException e) {
      return Optional.empty();
    }
  }

  private Optional<FrameInfo> probePlain(MemorySegment bytes, String file, long offset) {
    try {
      FrameTable.Told told = FrameTable.told(bytes, file, offset);
      long length = told.bytes() + told.plainLength();
      return length <= bytes.byteSize()
          ? checked(bytes.asSlice(0, length), told, Codec.NONE, file, offset)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<FrameInfo> checked(
      MemorySegment stored, FrameTable.Told told, Codec codec, String file, long offset)
      throws CorruptContainerException {
    FrameInfo info = new FrameInfo(stored.byteSize(), told.plainLength(), codec, Digest.of(stored));
    info.check(file, offset);
    return Optional.of(info);
  }

  @Override
  public void close() {
    staged.close();
    expanded.close();
    if (zstd != null) {
      zstd.close();
      zstd = null;
    }
  }
}
