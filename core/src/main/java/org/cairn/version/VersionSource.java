// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.cairn.work.Workers;

/**
 * What one rank saved in a version, ready to be read: a map, and the blocks that it speaks of. Who
 * reads need not know where they come from; a version of a container is one, and what arrives by
 * wire, is decoded from parity or lies in segments can be one.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>No block is given away that does not have the digest of the map.
 *   <li>What is damaged is told, not thrown, and names its place.
 * </ol>
 */
public interface VersionSource extends VersionMap {
  /**
   * Bytes of a dataset that are wanted.
   *
   * @param from the first
   * @param to the first that is not wanted any more
   */
  record Range(DatasetEntry dataset, long from, long to) {

    /** Refuses what the dataset does not have. */
    public Range {
      Objects.checkFromToIndex(from, to, dataset.spec().byteLength());
    }

    /** All of a dataset. */
    public static Range all(DatasetEntry dataset) {
      return new Range(dataset, 0, dataset.spec().byteLength());
    }

    /** The first block that has any of them. */
    public int firstBlock() {
      return (int) (from / dataset.spec().blockSize());
    }

    /** The first block after those that have any of them. */
    public int endBlock() {
      return from == to ? firstBlock() : (int) Math.ceilDiv(to, (long) dataset.spec().blockSize());
    }
  }

  /** Receives verified blocks; called by many threads at once, each block once. */
  public interface Sink {
    /** Takes block {@code block} of {@code dataset}; {@code bytes} is valid during the call. */
    void block(DatasetEntry dataset, int block, MemorySegment bytes) throws IOException;

    /**
     * Takes consecutive blocks that lie side by side. Whoever can take them in one step does: what
     * is done once a block is slow in a process that has just begun.
     */
    default void blocks(DatasetEntry dataset, int first, int count, MemorySegment bytes)
        throws IOException {
      long at = 0;
      for (int block = first; block < first + count; block++) {
        int length = dataset.blockLength(block);
        block(dataset, block, bytes.asSlice(at, length));
        at += length;
      }
    }

    /**
     * Takes consecutive blocks of zeros. Whoever can settle them in one step does: a file of a few
     * bytes may claim a billion of them.
     */
    default void zeros(DatasetEntry dataset, int first, int count) throws IOException {
      for (int block = first; block < first + count; block++) {
        block(dataset, block, Zeros.ofLength(dataset.blockLength(block)));
      }
    }

    /** Takes nothing: for whoever only wants to know of damage. */
    Sink NOTHING =
        new Sink() {
          @Override
          public void block(DatasetEntry dataset, int block, MemorySegment bytes) {}

          @Override
          public void blocks(DatasetEntry dataset, int first, int count, MemorySegment bytes) {}

          @Override
          public void zeros(DatasetEntry dataset, int first, int count) {}
        };
  }

  /** A block that could not be read as it was written. */
  record Damage(String dataset, int block, long offset, String what) {}

  /**
   * Reads whole blocks, all in which wanted bytes lie, in whatever order is fastest; ends at the
   * first damage.
   *
   * @param sink receives each block that is as it was written
   * @param progress told how many bytes are done, now and then
   * @return what is damaged; nothing if the sink has received all
   * @throws IOException if the sink fails, or nothing can be read at all
   */
  List<Damage> scan(Collection<Range> wanted, Workers workers, Sink sink, LongConsumer progress)
      throws IOException;
}
