// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Maps against a trivial model; records read back as what was said. */
class BlockMapTest {
  private static final int SLOTS = 5000;

  private record Entry(long place, int stored, long low, long high) {
    static final Entry ABSENT = new Entry(BlockMap.ABSENT, 0, 0, 0);
  }

  /** What any sequence of calls should lead to. */
  private static final class Model implements MapRecord.Visitor {
    final Map<Integer, Entry> entries = new HashMap<>();

    @Override
    public void block(int slot, int blockLength, int stored, long place, long low, long high) {
      entries.put(slot, new Entry(place, stored, low, high));
    }

    @Override
    public void zeros(int first, int count, int blockLength) {
      for (int slot = first; slot < first + count; slot++) {
        entries.put(slot, new Entry(BlockMap.ZERO, blockLength, 0, 0));
      }
    }

    @Override
    public void released(int first, int count) {
      for (int slot = first; slot < first + count; slot++) {
        entries.remove(slot);
      }
    }

    void assertSame(BlockMap map) {
      for (int slot = 0; slot < SLOTS + 10; slot++) {
        Entry expected = entries.getOrDefault(slot, Entry.ABSENT);
        assertThat(map.place(slot)).as("place of %d", slot).isEqualTo(expected.place);
        if (expected.place != BlockMap.ABSENT) {
          assertThat(map.stored(slot)).as("length of %d", slot).isEqualTo(expected.stored);
          assertThat(map.low(slot)).isEqualTo(expected.low);
          assertThat(map.high(slot)).isEqualTo(expected.high);
        }
      }
    }
  }

  private static void change(Random random, MapRecord.Visitor... visitors) {
    int first = random.nextInt(SLOTS);
    int count = 1 + random.nextInt(Math.min(random.nextBoolean() ? 5 : 2500, SLOTS - first));
    int kind = random.nextInt(4);
    int length = random.nextBoolean() ? 16384 : 128 + random.nextInt(1000);
    long place = 8192 + random.nextLong(1L << 40);
    long low = random.nextLong();
    for (MapRecord.Visitor visitor : visitors) {
      switch (kind) {
        case 0 -> visitor.zeros(first, count, length);
        case 1 -> visitor.released(first, count);
        default -> {
          for (int i = 0; i < count; i++) {
            int stored = kind == 2 ? length : BlockMap.stored(2, 1 + (i % length));
            long at = kind == 2 ? place + (long) i * length : place + 3L * i * length;
            visitor.block(first + i, length, stored, at, low + i, low - i);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void holdsWhatItIsToldAndRecordsSayTheSame(long seed) throws Exception {
    Random random = new Random(seed);
    Model model = new Model();
    BlockMap map = new BlockMap();
    BlockMap fromRecords = new BlockMap();
    try (RecordWriter out = new RecordWriter()) {
      for (int record = 0; record < 5; record++) {
        MapRecord.Builder builder = new MapRecord.Builder(out);
        builder.start(false);
        for (int i = 0; i < 8; i++) {
          change(random, model, map, builder);
        }
        MapRecord.read(new RecordReader(builder.finish().bytes(), "memory", 0), false, fromRecords);
      }
    }
    model.assertSame(map);
    model.assertSame(fromRecords);
  }

  /** What is said of up to 64 slots at once is what is said of each. */
  @SeededTest(seeds = 4)
  void manySlotsAreLookedAtAtOnce(Random random) {
    BlockMap map = new BlockMap();
    for (int i = 0; i < 12; i++) {
      change(random, map);
    }
    BlockMap.ExtentFilter filter = (place, length) -> (place ^ length) % 3 == 0;
    for (int i = 0; i < 400; i++) {
      int first = random.nextInt(SLOTS);
      int count = 1 + random.nextInt(Long.SIZE);
      int at = 2 * random.nextInt(3);
      long[] digests = new long[at + 2 * count];
      long same = 0;
      long lying = 0;
      for (int j = 0; j < count; j++) {
        int slot = first + j;
        digests[at + 2 * j] = map.low(slot) + (random.nextInt(9) == 0 ? 1 : 0);
        digests[at + 2 * j + 1] = map.high(slot) + (random.nextInt(9) == 0 ? 1 : 0);
        boolean has = map.hasDigest(slot, digests[at + 2 * j], digests[at + 2 * j + 1]);
        same |= has ? 1L << j : 0;
        long place = map.place(slot);
        boolean lies = place >= 0 && filter.accepts(place, BlockMap.storedLength(map.stored(slot)));
        lying |= lies ? 1L << j : 0;
      }
      assertThat(map.whichHaveDigests(first, count, digests, at)).isEqualTo(same);
      assertThat(map.whichLie(first, count, filter)).isEqualTo(lying);
    }
  }

  /** What is told of stretches is what single slots say, as far as it goes, and it goes far. */
  @SeededTest(seeds = 4)
  void stretchesAreWhatTheirSlotsSay(Random random) {
    BlockMap map = new BlockMap();
    for (int i = 0; i < 12; i++) {
      change(random, map);
    }
    long[] digests = new long[2 * Long.SIZE];
    int longest = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
      int most = 1 + random.nextInt(100);
      int found = map.digestsFrom(slot, most, digests);
      assertThat(found).isBetween(map.place(slot) >= 0 ? 1 : 0, Math.min(most, Long.SIZE));
      for (int i = 0; i < found; i++) {
        assertThat(map.place(slot + i)).isNotNegative();
        assertThat(digests[2 * i]).isEqualTo(map.low(slot + i));
        assertThat(digests[2 * i + 1]).isEqualTo(map.high(slot + i));
      }
      int how = map.stored(slot);
      long place = map.place(slot);
      int count = map.sideBySideFrom(slot, most, how, place);
      assertThat(count).isBetween(place >= 0 ? 1 : 0, most);
      for (int i = 0; i < count; i++) {
        assertThat(map.place(slot + i)).isEqualTo(place + (long) i * BlockMap.storedLength(how));
        assertThat(map.stored(slot + i)).isEqualTo(how);
      }
      assertThat(map.sideBySideFrom(slot, most, how, place + 1)).isZero();
      longest = Math.max(longest, count);
    }
    assertThat(longest).isGreaterThan(1);
    assertThat(extents(map::forEachStretch)).isEqualTo(extents(map::forEachExtent));
  }

  /** What lies where, with what lies side by side as one. */
  private static TreeMap<Long, Long> extents(Consumer<BlockMap.ExtentVisitor> source) {
    TreeMap<Long, Long> single = new TreeMap<>();
    source.accept((place, length) -> single.merge(place, length, Math::max));
    TreeMap<Long, Long> joined = new TreeMap<>();
    single.forEach(
        (place, length) -> {
          Map.Entry<Long, Long> before = joined.lastEntry();
          if (before != null && before.getKey() + before.getValue() == place) {
            joined.put(before.getKey(), before.getValue() + length);
          } else {
            joined.put(place, length);
          }
        });
    return joined;
  }

  /** Blocks that are missing, or as long as they must not be, are found wherever they are. */
  @SeededTest(seeds = 4)
  void theFirstBlockThatDoesNotFitIsFound(Random random) {
    int blocks = 300 + random.nextInt(200);
    DatasetSpec spec =
        new DatasetSpec(
            "u",
            ElementType.BYTE,
            List.of(blocks * 128L - 5),
            blocks * 128L - 5,
            128,
            HashAlgorithm.XXH3_128,
            Codec.NONE);
    for (int round = 0; round < 200; round++) {
      int first = random.nextInt(100);
      int cut = 1 + random.nextInt(blocks - 1);
      SlotRuns slots = SlotRuns.NONE.plus(first, cut).plus(first + cut + 7, blocks - cut);
      DatasetEntry dataset = new DatasetEntry(spec, slots, List.of());
      BlockMap map = new BlockMap();
      int bad = random.nextInt(blocks + 40);
      for (int block = 0; block < blocks; block++) {
        int length = dataset.blockLength(block);
        if (block != bad && random.nextInt(20) == 0) {
          map.zeros(dataset.slotOf(block), 1, length);
        } else if (block != bad) {
          map.block(dataset.slotOf(block), length, length, 8192 + 128L * block, 1, 2);
        } else if (random.nextBoolean()) {
          map.block(dataset.slotOf(block), length, length - 1, 8192 + 128L * block, 1, 2);
        }
      }
      assertThat(map.firstUnfit(dataset)).isEqualTo(bad < blocks ? bad : -1);
    }
  }

  /** Ranges of millions of slots, looked at where they begin and end. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void rangesOfAnyLengthEndWhereTheyShould(long seed) {
    Random random = new Random(seed);
    BlockMap map = new BlockMap();
    TreeMap<Integer, Integer> model = new TreeMap<>(Map.of(0, 0)); // from a slot on: its length
    for (int i = 0; i < 60; i++) {
      int first = random.nextInt(1 << (6 + random.nextInt(24)));
      int count = 1 + random.nextInt(1 << (1 + random.nextInt(29)));
      int length = random.nextInt(3) * 128;
      if (length == 0) {
        map.released(first, count);
      } else {
        map.zeros(first, count, length);
      }
      int behind = model.floorEntry(first + count).getValue();
      model.subMap(first, first + count).clear();
      model.put(first, length);
      model.put(first + count, behind);
      model.forEach((from, same) -> assertLength(map, model, from));
      assertThat(map.memoryBytes()).isLessThan(60 * 6000L);
    }
  }

  private static void assertLength(BlockMap map, TreeMap<Integer, Integer> model, int from) {
    for (int slot : new int[] {Math.max(0, from - 1), from, from + 1, from + 63, from + 4096}) {
      int length = model.floorEntry(slot).getValue();
      assertThat(map.place(slot)).isEqualTo(length == 0 ? BlockMap.ABSENT : BlockMap.ZERO);
      assertThat(length == 0 ? 0 : map.stored(slot)).isEqualTo(length);
      Integer end = model.higherKey(slot);
      int same = map.sameFrom(slot);
      for (int last : new int[] {slot + same - 1, slot + same / 2}) {
        assertThat(model.floorEntry(last).getValue() == 0)
            .as("slot %d, %d alike, up to %s", slot, same, end)
            .isEqualTo(length == 0);
      }
    }
  }

  /** 32 bytes of a file each: aligned with nothing, or a lone slot here and there. */
  @ParameterizedTest
  @CsvSource({
    "8190, 8192, 800",
    "8190, 20000, 1200",
    "100, 150, 200",
    "1, 64, 150",
    "1, 5000, 500"
  })
  void aRunOfZerosTakesLittleMemoryWhereverItLies(int length, int stride, int mostBytes) {
    BlockMap map = new BlockMap();
    int runs = 20_000;
    for (int i = 0; i < runs; i++) {
      map.zeros(1 + i * stride, length, 128);
    }
    assertThat(map.memoryBytes() / runs).as("bytes a run").isLessThan(mostBytes);
  }

  @Test
  void refusesToTakeMoreMemoryThanItMay() {
    BlockMap map = new BlockMap(1 << 20);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100_000; i++) {
                map.zeros(1 + i * 8192, 8190, 128);
              }
            })
        .isInstanceOf(BlockMap.TooLargeException.class);
    assertThat(map.memoryBytes()).isBetween(1L << 19, (1L << 20) + 20_000);
  }

  @Test
  void whatIsStoredTakesAsMuchMemoryAsBefore() {
    BlockMap map = new BlockMap();
    for (int slot = 0; slot < 100_000; slot++) {
      map.block(slot, 128, 128, 8192 + 128L * slot, slot, -slot);
    }
    assertThat(map.memoryBytes() / 100_000).as("bytes a block").isLessThan(28);
  }

  @Test
  void claimedZerosTakeNoMemory() {
    BlockMap map = new BlockMap();
    map.zeros(0, 2_000_000_000, 16384);
    assertThat(map.place(1_999_999_999)).isEqualTo(BlockMap.ZERO);
    assertThat(map.memoryBytes()).isLessThan(20_000);
  }

  @Test
  void aRecordThatClaimsTooManySlotsIsRefused() {
    try (RecordWriter out = new RecordWriter()) {
      MapRecord.Builder builder = new MapRecord.Builder(out);
      builder.start(true);
      for (int i = 0; i < 3; i++) {
        builder.zeros(i, 2_000_000_000, 128);
      }
      RecordReader in = new RecordReader(builder.finish().bytes(), "memory", 0);
      assertThatThrownBy(() -> MapRecord.read(in, true, new BlockMap()))
          .isInstanceOf(CorruptContainerException.class)
          .hasMessageContaining("impossible");
    }
  }
}
