// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Collection;
import java.util.Optional;

/** One version of a container, map and catalog loaded and verified, ready to be read. */
public final class VersionView {
  private final ContainerFile file;
  private final VersionInfo info;
  private final Catalog catalog;
  private final BlockMap map;

  VersionView(ContainerFile file, VersionInfo info, Catalog catalog, BlockMap map) {
    this.file = file;
    this.info = info;
    this.catalog = catalog;
    this.map = map;
  }

  /** What the container says of this version. */
  public VersionInfo info() {
    return info;
  }

  /** The datasets in the order in which they were saved. */
  public Collection<DatasetEntry> datasets() {
    return catalog.datasets();
  }

  /** The dataset of this name. */
  public Optional<DatasetEntry> find(String name) {
    return Optional.ofNullable(catalog.find(name));
  }

  ContainerFile file() {
    return file;
  }

  BlockMap map() {
    return map;
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
