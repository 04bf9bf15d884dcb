// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.container.BlockReader;
import org.cairn.container.VersionView;
import org.cairn.erasure.Regions;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** Some blocks of a version in the byte space, ready to be read; every block is verified. */
final class Layer implements AutoCloseable {
  private static final byte ONE = 1;

  private final VersionView view;
  private final Runs runs;
  private final BlockReader reader;

  // What was read last: a block that is longer than what is asked for at once is read once.
  private @Nullable DatasetEntry lastDataset;
  private int lastBlock;
  private MemorySegment lastBytes = MemorySegment.NULL;

  Layer(VersionView view, Runs runs) {
    this.view = view;
    this.runs = runs;
    this.reader = new BlockReader(view);
  }

  VersionId version() {
    return view.info().id();
  }

  Runs runs() {
    return runs;
  }

  /**
   * Combines what lies from {@code start} on with {@code window} by exclusive or.
   *
   * @param wanted up to where more will be asked for next
   */
  void addTo(MemorySegment window, long start, long wanted) throws IOException {
    forEachPart(
        start,
        start + window.byteSize(),
        wanted,
        (bytes, from, address, length) ->
            Regions.multiplyAdd(ONE, bytes, from, window, address - start, length));
  }

  /** Puts what lies from {@code start} on into {@code window}, whose other bytes stay. */
  void copyTo(MemorySegment window, long start, long wanted) throws IOException {
    forEachPart(
        start,
        start + window.byteSize(),
        wanted,
        (bytes, from, address, length) ->
            MemorySegment.copy(bytes, from, window, address - start, length));
  }

  /** Takes bytes from {@code from} on, which lie at an address. */
  private interface PartTaker {
    void take(MemorySegment bytes, int from, long address, int length);
  }

  private void forEachPart(long start, long end, long wanted, PartTaker taker) throws IOException {
    runs.forEachPart(
        start,
        end,
        wanted,
        new Runs.PartVisitor<IOException>() {
          @Override
          public void run(DatasetEntry dataset, int first, int behind) {
            reader.expect(dataset, first, behind);
          }

          @Override
          public void part(DatasetEntry dataset, int block, int from, long address, int length)
              throws IOException {
            if (!view.isZero(dataset, block)) {
              taker.take(read(dataset, block), from, address, length);
            }
          }
        });
  }

  private MemorySegment read(DatasetEntry dataset, int block) throws IOException {
    if (dataset != lastDataset || block != lastBlock) {
      lastDataset = null;
      lastBytes = reader.read(dataset, block);
      lastDataset = dataset;
      lastBlock = block;
    }
    return lastBytes;
  }

  @Override
  public void close() {
    reader.close();
  }
}
