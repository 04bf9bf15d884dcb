// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/** One version of a container, map and catalog loaded and verified, ready to be read. */
public final class VersionView implements VersionSource {
  private final ContainerFile file;
  private final VersionInfo info;
  private final Catalog catalog;
  private final BlockMap map;
  private final RecentBytes recent;
  private final BlockSource elsewhere;

  VersionView(ContainerFile file, VersionInfo info, Catalog catalog, BlockMap map) {
    this(file, info, catalog, map, RecentBytes.NONE);
  }

  VersionView(
      ContainerFile file, VersionInfo info, Catalog catalog, BlockMap map, RecentBytes recent) {
    this(file, info, catalog, map, recent, BlockSource.NONE);
  }

  private VersionView(
      ContainerFile file,
      VersionInfo info,
      Catalog catalog,
      BlockMap map,
      RecentBytes recent,
      BlockSource elsewhere) {
    this.elsewhere = elsewhere;
    this.file = file;
    this.info = info;
    this.catalog = catalog;
    this.map = map;
    this.recent = recent;
  }

  /**
   * The same version; a scan asks there for blocks that are damaged here, one at a time, and tells
   * of damage only if they are not to be had.
   */
  public VersionView orFrom(BlockSource other) {
    return new VersionView(file, info, catalog, map, recent, other);
  }

  /** Where blocks may be that are damaged here. */
  BlockSource elsewhere() {
    return elsewhere;
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

  Catalog catalog() {
    return catalog;
  }

  ContainerFile file() {
    return file;
  }

  /** What need not be read from the file. */
  RecentBytes recent() {
    return recent;
  }

  BlockMap map() {
    return map;
  }

  @Override
  public boolean isZero(DatasetEntry dataset, int block) {
    return map.place(dataset.slotOf(block)) == BlockMap.ZERO;
  }

  @Override
  public int zerosFrom(DatasetEntry dataset, int block) {
    return map.zerosFrom(dataset, block);
  }

  @Override
  public long low(DatasetEntry dataset, int block) {
    return map.low(dataset.slotOf(block));
  }

  @Override
  public long high(DatasetEntry dataset, int block) {
    return map.high(dataset.slotOf(block));
  }

  @Override
  public int digestsFrom(DatasetEntry dataset, int block, long[] digests) {
    int most = Math.min(dataset.slots().contiguousFrom(block), dataset.blocks() - block);
    int found = map.digestsFrom(dataset.slotOf(block), most, digests);
    return found > 0 ? found : VersionSource.super.digestsFrom(dataset, block, digests);
  }

  @Override
  public List<VersionSource.Damage> scan(
      Collection<Range> wanted, Workers workers, VersionSource.Sink sink, LongConsumer progress)
      throws IOException {
    return BlockScan.run(this, wanted, workers, sink, progress);
  }

  /** What the map says of one block. */
  public BlockPlace place(DatasetEntry dataset, int block) {
    int slot = dataset.slotOf(block);
    int stored = map.stored(slot);
    return new BlockPlace(
        map.place(slot),
        map.place(slot) == BlockMap.ZERO ? 0 : BlockMap.storedLength(stored),
        BlockMap.storedCodec(stored),
        map.low(slot),
        map.high(slot));
  }

  /**
   * Where and how a block is stored.
   *
   * @param offset its place in the file; negative if nothing is stored
   * @param storedLength how many bytes it takes there
   * @param codec the number of the codec it is stored with
   * @param low the lower half of its digest; 0 if the block is all zeros
   * @param high the upper half of its digest
   */
  public record BlockPlace(long offset, int storedLength, int codec, long low, long high) {

    /** Whether all bytes of the block are zero, so that nothing is stored. */
    public boolean isZero() {
      return offset == BlockMap.ZERO;
    }

    /** Whether two blocks of one length and algorithm have the same content. */
    public boolean sameContent(BlockPlace other) {
      return isZero() == other.isZero() && low == other.low && high == other.high;
    }
  }
}
