// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import org.cairn.HashAlgorithm;
import org.cairn.codec.CodecException;
import org.cairn.codec.LastCodec;
import org.cairn.hash.Hashers;
import org.cairn.hash.SecondOpinion;
import org.cairn.supply.Supply;
import org.cairn.version.BlockMap;
import org.cairn.version.VersionFormat;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether stored bytes are those of a block with a given digest. Knows neither versions nor
 * maps, so that it can be used on whatever a file holds at a place. For one thread.
 */
final class BlockCheck implements AutoCloseable {
  private final Arena arena = Supply.sharedArena();
  private final MemorySegment stored = arena.allocate(VersionFormat.MAX_BLOCK, 64);
  private final long[] digest = new long[2];

  /** Room for a block that was coded; there is none as long as none was. */
  private MemorySegment decoded = MemorySegment.NULL;

  private final LastCodec codec = new LastCodec();
  private MemorySegment plain = stored;

  /** Bytes at a place of a file, as a map describes them. */
  record Expected(
      long place, int stored, int length, HashAlgorithm algorithm, long low, long high) {
    int storedLength() {
      return BlockMap.storedLength(stored);
    }

    long end() {
      return place + storedLength();
    }
  }

  /**
   * Reads and verifies a block.
   *
   * @return what is wrong; null if it is as it was written
   */
  @Nullable String read(ContainerFile file, Expected block) throws IOException {
    return read(file, block, stored.asSlice(0, block.storedLength()));
  }

  /** The same, into memory of the caller, who needs it as it is stored. */
  @Nullable String read(ContainerFile file, Expected block, MemorySegment target)
      throws IOException {
    try {
      if (file.file().read(block.place, target) < target.byteSize()) {
        return "the file ends before it";
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      return "cannot be read: " + e.getMessage();
    }
    return verify(target, block);
  }

  /**
   * Verifies stored bytes.
   *
   * @return what is wrong; null if they are those that were written
   */
  @Nullable String verify(MemorySegment bytes, Expected block) {
    int id = BlockMap.storedCodec(block.stored);
    MemorySegment found = bytes;
    if (id != 0) {
      found = decoded().asSlice(0, block.length);
      try {
        codec.of(id).decompress(bytes, 0, block.storedLength(), found, 0, block.length);
      } catch (CodecException | IllegalArgumentException e) {
        return "cannot be decoded: " + e.getMessage();
      }
    } else if (bytes.byteSize() != block.length) {
      return "the map says it has another length";
    }
    plain = found;
    return compare(found, block.algorithm, block.low, block.high);
  }

  /** Whether plain bytes have a digest; what is wrong if not. */
  @Nullable String compare(MemorySegment bytes, HashAlgorithm algorithm, long low, long high) {
    int length = (int) bytes.byteSize();
    Hashers.of(algorithm).hash(bytes, 0, length, length, digest, 0);
    boolean same =
        digest[0] == low && digest[1] == high
            || SecondOpinion.isIntact(algorithm, bytes, 0, length, digest[0], digest[1], low, high);
    return same
        ? null
        : "digest %016x%016x, expected %016x%016x".formatted(digest[1], digest[0], high, low);
  }

  /** The block that was verified last, before coding; valid until the next one. */
  MemorySegment plain() {
    return plain;
  }

  private MemorySegment decoded() {
    if (decoded.byteSize() == 0) {
      decoded = arena.allocate(VersionFormat.MAX_BLOCK, 64);
    }
    return decoded;
  }

  @Override
  public void close() {
    codec.close();
    arena.close();
  }
}
