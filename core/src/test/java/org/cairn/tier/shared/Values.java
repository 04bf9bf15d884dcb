// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.cairn.version.DatasetEntry;

/** Reads whole datasets of a member. */
final class Values {
  private Values() {}

  static double[] doubles(SegmentSource source, String name) throws IOException {
    return bytes(source, name)
        .toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
  }

  static int[] ints(SegmentSource source, String name) throws IOException {
    return bytes(source, name)
        .toArray(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
  }

  private static MemorySegment bytes(SegmentSource source, String name) throws IOException {
    DatasetEntry dataset = source.find(name).orElseThrow();
    MemorySegment all = MemorySegment.ofArray(new byte[(int) dataset.spec().byteLength()]);
    try (SegmentBlocks blocks = new SegmentBlocks()) {
      for (int block = 0; block < dataset.blocks(); block++) {
        long at = (long) block * dataset.spec().blockSize();
        all.asSlice(at, dataset.blockLength(block)).copyFrom(blocks.read(source, dataset, block));
      }
    }
    return all;
  }
}
