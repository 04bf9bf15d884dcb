// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.cairn.record.RecordReader;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

class ByteSpaceTest {
  @SeededTest(seeds = 50)
  void placesNeverOverlapNorMove(long seed) throws IOException {
    Random random = new Random(seed);
    ByteSpace space = ByteSpace.EMPTY;
    Map<String, Long> sizes = new LinkedHashMap<>();
    long largest = 0;
    for (int version = 0; version < 60; version++) {
      Map<String, Long> before = new LinkedHashMap<>(sizes);
      change(sizes, random);
      ByteSpace next = space.next(sizes);
      check(space, before, next, sizes);
      assertThat(next.write())
          .isEqualTo(RecordReader.parse(next.write(), "space", ByteSpace::read).write());
      assertThat(space.next(sizes).write()).isEqualTo(next.write());
      space = next;
      largest = Math.max(largest, sizes.values().stream().mapToLong(Long::longValue).sum());
    }
    assertThat(space.end()).isLessThan(3 * largest + (1 << 20));
  }

  private static void change(Map<String, Long> sizes, Random random) {
    for (String name : List.copyOf(sizes.keySet())) {
      switch (random.nextInt(6)) {
        case 0 -> sizes.remove(name);
        case 1 -> sizes.put(name, 1 + sizes.getOrDefault(name, 0L) / 2);
        case 2 -> sizes.put(name, sizes.getOrDefault(name, 0L) + random.nextInt(100_000));
        default -> {}
      }
    }
    while (sizes.size() < 8) {
      sizes.put("d" + random.nextInt(100), (long) random.nextInt(1 << random.nextInt(4, 22)));
    }
  }

  private static void check(
      ByteSpace old, Map<String, Long> before, ByteSpace next, Map<String, Long> sizes) {
    TreeMap<Long, Long> taken = new TreeMap<>();
    sizes.forEach(
        (name, bytes) -> {
          long[] covered = new long[1];
          next.locate(
              name,
              0,
              bytes,
              (address, offset, length) -> {
                assertThat(offset).isEqualTo(covered[0]);
                covered[0] += length;
                Map.Entry<Long, Long> lower = taken.floorEntry(address);
                assertThat(lower == null || lower.getValue() <= address).isTrue();
                Long higher = taken.ceilingKey(address);
                assertThat(higher == null || higher >= address + length).isTrue();
                taken.put(address, address + length);
              });
          assertThat(covered[0]).isEqualTo(bytes);
          long kept = Math.min(bytes, before.getOrDefault(name, 0L));
          assertThat(next.agreesUpTo(name, old)).isGreaterThanOrEqualTo(kept);
        });
  }

  @Test
  void whatGrowsALittleEachTimeStaysInFewPieces() {
    ByteSpace space = ByteSpace.EMPTY;
    for (long i = 1; i < 2000; i++) {
      space = space.next(Map.of("a", 1000 * i, "b", 1000 * i));
    }
    assertThat(space.extents("a").size() + space.extents("b").size()).isLessThan(120);
    assertThat(space.end()).isLessThan(6_000_000);
  }

  @Test
  void smallOnesLieSideBySide() {
    Map<String, Long> sizes = new LinkedHashMap<>();
    for (int i = 0; i < 100; i++) {
      sizes.put("cell" + i, 8L);
    }
    assertThat(ByteSpace.EMPTY.next(sizes).end()).isEqualTo(800);
  }
}
