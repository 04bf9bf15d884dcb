// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.container.BlockReader;
import org.cairn.container.VersionView;
import org.cairn.erasure.Regions;
import org.cairn.version.VersionId;

/** Some blocks of a version in the byte space, ready to be read; every block is verified. */
final class Layer implements AutoCloseable {
  private static final byte ONE = 1;

  private final VersionView view;
  private final Runs runs;
  private final BlockReader reader;

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

  /** Combines what lies from {@code start} on with {@code window} by exclusive or. */
  void addTo(MemorySegment window, long start) throws IOException {
    runs.<IOException>forEachPart(
        start,
        start + window.byteSize(),
        (dataset, block, from, address, length) -> {
          if (!view.isZero(dataset, block)) {
            MemorySegment bytes = reader.read(dataset, block);
            Regions.multiplyAdd(ONE, bytes, from, window, address - start, length);
          }
        });
  }

  @Override
  public void close() {
    reader.close();
  }
}
