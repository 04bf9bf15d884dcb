// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.codec.BlockCodec;
import org.cairn.codec.BlockCodecs;
import org.cairn.codec.CodecException;
import org.cairn.hash.Hashers;
import org.cairn.hash.SecondOpinion;
import org.cairn.record.Digest;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetEntry;
import org.jspecify.annotations.Nullable;

/** Reads blocks of segments and compares them with their digests. For one thread. */
final class BlockVerifier implements AutoCloseable {
  private final Workspace space = new Workspace();
  private final Map<Integer, BlockCodec> codecs = new HashMap<>();
  private MemorySegment stored = MemorySegment.NULL;
  private MemorySegment plain = MemorySegment.NULL;
  private final long[] digest = new long[2];
  private @Nullable FramedBlocks frames;

  /**
   * Reads a block and verifies it.
   *
   * @return the bytes as they are stored, valid until the next call
   * @throws CorruptContainerException if it is not what was written
   */
  MemorySegment read(SegmentReader segment, DatasetEntry dataset, int block, BlockEntry entry)
      throws IOException {
    checkLength(segment, dataset, block, entry);
    MemorySegment bytes =
        entry.isFramed() ? frames().read(segment, entry) : readStored(segment, entry);
    plain(segment, dataset, block, entry, bytes);
    return bytes.asSlice(0, entry.storedLength());
  }

  private MemorySegment readStored(SegmentReader segment, BlockEntry entry) throws IOException {
    stored = space.atLeast(stored, entry.storedLength());
    segment.read(entry, stored);
    return stored;
  }

  /** Most who verify never meet a frame. */
  private FramedBlocks frames() {
    FramedBlocks made = frames;
    if (made == null) {
      made = new FramedBlocks();
      frames = made;
    }
    return made;
  }

  /** Before memory is taken for it. */
  private static void checkLength(
      SegmentReader segment, DatasetEntry dataset, int block, BlockEntry entry)
      throws CorruptContainerException {
    int length = dataset.blockLength(block);
    boolean raw = entry.isPlain();
    if (entry.blockLength() != length
        || (raw ? entry.storedLength() != length : entry.storedLength() > length)) {
      throw corrupt(
          segment,
          dataset,
          block,
          entry,
          "%d bytes stored of %d, expected at most %d"
              .formatted(entry.storedLength(), entry.blockLength(), length));
    }
  }

  /**
   * What a block stands for, decoded and verified.
   *
   * @param bytes what is stored of it, and perhaps more
   * @return valid until the next call, and as long as {@code bytes}
   * @throws CorruptContainerException if it is not what was written
   */
  MemorySegment plain(
      SegmentReader segment, DatasetEntry dataset, int block, BlockEntry entry, MemorySegment bytes)
      throws CorruptContainerException {
    checkLength(segment, dataset, block, entry);
    int length = dataset.blockLength(block);
    MemorySegment decoded = entry.isPlain() ? bytes : decode(segment, dataset, block, entry, bytes);
    Hashers.of(dataset.spec().algorithm()).hash(decoded, 0, length, length, digest, 0);
    if ((digest[0] != entry.digestLow() || digest[1] != entry.digestHigh())
        && !SecondOpinion.isIntact(
            dataset.spec().algorithm(),
            decoded,
            0,
            length,
            digest[0],
            digest[1],
            entry.digestLow(),
            entry.digestHigh())) {
      throw corrupt(
          segment,
          dataset,
          block,
          entry,
          "digest %s, expected %s"
              .formatted(
                  new Digest(digest[0], digest[1]),
                  new Digest(entry.digestLow(), entry.digestHigh())));
    }
    return decoded.asSlice(0, length);
  }

  private MemorySegment decode(
      SegmentReader segment, DatasetEntry dataset, int block, BlockEntry entry, MemorySegment bytes)
      throws CorruptContainerException {
    int length = dataset.blockLength(block);
    plain = space.atLeast(plain, length);
    try {
      codecs
          .computeIfAbsent(entry.codec(), id -> BlockCodecs.create(Codec.of(id)))
          .decompress(bytes, 0, entry.storedLength(), plain, 0, length);
      return plain;
    } catch (CodecException | IllegalArgumentException e) {
      throw corrupt(segment, dataset, block, entry, "cannot be decoded: " + e.getMessage());
    }
  }

  private static CorruptContainerException corrupt(
      SegmentReader segment, DatasetEntry dataset, int block, BlockEntry entry, String what) {
    return new CorruptContainerException(
        segment.location(),
        entry.offset(),
        "block %d of \"%s\": %s".formatted(block, dataset.name(), what));
  }

  @Override
  public void close() {
    if (frames != null) {
      frames.close();
    }
    codecs.values().forEach(BlockCodec::close);
    space.close();
  }
}
