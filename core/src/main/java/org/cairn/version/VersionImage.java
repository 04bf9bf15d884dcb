// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.record.RecordReader;

/**
 * The map of a version as bytes that mean the same in every container: what travels to another
 * rank, and what makes rebuilt bytes understood and verified there.
 *
 * <pre>Image → headLength:u64 blocks:u64 {@link VersionHead Head} pad
 *         (low:u64 high:u64){blocks} zero:u8{⌈blocks/8⌉}</pre>
 *
 * <p>Blocks are numbered through all datasets in their order. A block has the same place in the
 * image of the next version as long as the catalog stays the same, so a change of a few blocks
 * changes a few bytes.
 */
public final class VersionImage implements VersionMap {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int PREFIX = 16;

  private final VersionInfo info;
  private final Catalog catalog;
  private final Map<DatasetEntry, Integer> firstBlock = new IdentityHashMap<>();
  private final MemorySegment bytes;
  private final long digests;
  private final long zeros;

  private VersionImage(VersionInfo info, Catalog catalog, MemorySegment bytes, long digests) {
    this.info = info;
    this.catalog = catalog;
    this.bytes = bytes;
    this.digests = digests;
    int blocks = 0;
    for (DatasetEntry dataset : catalog.datasets()) {
      firstBlock.put(dataset, blocks);
      blocks += dataset.blocks();
    }
    this.zeros = digests + 16L * blocks;
  }

  /** The image of a version, in memory of {@code arena}. */
  public static VersionImage of(VersionMap version, Arena arena) {
    MemorySegment head = VersionHead.write(version, arena);
    long blocks = version.datasets().stream().mapToLong(DatasetEntry::blocks).sum();
    long digests = padded(PREFIX + head.byteSize());
    MemorySegment bytes = arena.allocate(digests + 16 * blocks + (blocks + 7) / 8, 8);
    bytes.set(LONG, 0, head.byteSize());
    bytes.set(LONG, 8, blocks);
    MemorySegment.copy(head, 0, bytes, PREFIX, head.byteSize());
    VersionImage image =
        new VersionImage(version.info(), Catalog.of(version.datasets()), bytes, digests);
    image.fill(version);
    return image;
  }

  private static long padded(long length) {
    return (length + 7) & -8;
  }

  private void fill(VersionMap version) {
    long index = 0;
    for (DatasetEntry dataset : catalog.datasets()) {
      for (int block = 0; block < dataset.blocks(); block++, index++) {
        bytes.set(LONG, digests + 16 * index, version.low(dataset, block));
        bytes.set(LONG, digests + 16 * index + 8, version.high(dataset, block));
        if (version.isZero(dataset, block)) {
          long at = zeros + index / 8;
          int bits = bytes.get(ValueLayout.JAVA_BYTE, at) | 1 << (index % 8);
          bytes.set(ValueLayout.JAVA_BYTE, at, (byte) bits);
        }
      }
    }
  }

  /**
   * Reads an image.
   *
   * @param origin where the bytes come from, for messages
   * @throws CorruptContainerException if they are none
   * @throws UnsupportedFormatException if only a later release understands them
   */
  public static VersionImage read(MemorySegment bytes, String origin) throws IOException {
    RecordReader prefix = new RecordReader(bytes, origin, 0);
    long headLength = prefix.getLong();
    long blocks = prefix.getLong();
    if (headLength < 0 || headLength > prefix.remaining()) {
      throw prefix.corrupt("a head of " + headLength + " bytes does not fit");
    }
    VersionHead head = VersionHead.read(bytes.asSlice(PREFIX, headLength), origin);
    long digests = padded(PREFIX + headLength);
    long counted = head.datasets().stream().mapToLong(DatasetEntry::blocks).sum();
    if (counted != blocks || digests + 16 * blocks + (blocks + 7) / 8 != bytes.byteSize()) {
      throw prefix.corrupt(
          "%d blocks of %d do not fit %d bytes".formatted(blocks, counted, bytes.byteSize()));
    }
    return new VersionImage(head.info(), head.catalog(), bytes, digests);
  }

  /** All of it. */
  public MemorySegment bytes() {
    return bytes;
  }

  @Override
  public VersionInfo info() {
    return info;
  }

  @Override
  public Collection<DatasetEntry> datasets() {
    return catalog.datasets();
  }

  @Override
  public Optional<DatasetEntry> find(String name) {
    return Optional.ofNullable(catalog.find(name));
  }

  private long index(DatasetEntry dataset, int block) {
    Integer first = firstBlock.get(dataset);
    if (first == null) {
      throw new IllegalArgumentException("not a dataset of this version: " + dataset);
    }
    return (long) first + block;
  }

  @Override
  public boolean isZero(DatasetEntry dataset, int block) {
    long index = index(dataset, block);
    return (bytes.get(ValueLayout.JAVA_BYTE, zeros + index / 8) >> (index % 8) & 1) != 0;
  }

  @Override
  public long low(DatasetEntry dataset, int block) {
    return bytes.get(LONG, digests + 16 * index(dataset, block));
  }

  @Override
  public long high(DatasetEntry dataset, int block) {
    return bytes.get(LONG, digests + 16 * index(dataset, block) + 8);
  }
}
