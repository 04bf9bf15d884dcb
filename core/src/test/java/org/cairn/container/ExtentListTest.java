// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.cairn.version.BlockMap;

/** What lies side by side is joined, and nothing is lost or hidden by that. */
class ExtentListTest {
  private static final int BLOCK = 128;

  @SeededTest(seeds = 50)
  void whatIsJoinedIsTheSameBytesAndOverlapsAsBefore(long seed) {
    Random random = new Random(seed);
    BlockMap map = new BlockMap();
    int slot = 0;
    for (int run = 0; run < 20; run++) {
      long place = 8192 + (long) BLOCK * random.nextInt(random.nextBoolean() ? 400 : 40_000);
      int count = 1 + random.nextInt(30);
      for (int i = 0; i < count; i++) {
        map.block(slot++, BLOCK, BLOCK, place + (long) i * BLOCK, slot, slot);
      }
    }
    ExtentList single = new ExtentList();
    map.forEachExtent(single);
    ExtentList joined = ExtentList.joined(map);

    assertThat(blocks(joined)).isEqualTo(blocks(single));
    assertThat(bytes(joined)).isEqualTo(bytes(single));
    assertThat(joined.firstOverlap() >= 0).isEqualTo(single.firstOverlap() >= 0);
  }

  private static BitSet blocks(ExtentList list) {
    BitSet blocks = new BitSet();
    list.forEach(
        (place, length) -> blocks.set((int) (place / BLOCK), (int) ((place + length) / BLOCK)));
    return blocks;
  }

  private static long bytes(ExtentList list) {
    long[] bytes = {0};
    list.forEach((place, length) -> bytes[0] += length);
    return bytes[0];
  }
}
