// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.Label;
import org.cairn.record.Digest;
import org.cairn.testkit.random.SeededTest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a tier remembers of its flushes, beside plain twins; and what a flush empties. */
class BlockPlacesTest {

  /** A block as a twin has it; null for zeros. */
  private record Twin(int segment, long offset, int length, int codec, long low, long high) {
    Twin from(long start) {
      return new Twin(segment, offset + start, length, codec, low, high);
    }
  }

  /** Numbers of segments that blocks are put into in one round only. */
  private static final int FRESH = 100;

  @SeededTest(seeds = 20)
  void whatWasPutIsThereAndWhatWasBeforeStays(Random random) {
    BlockPlaces places = BlockPlaces.NONE;
    List<@Nullable Twin> twin = new ArrayList<>();
    for (int round = 0; round < 30; round++) {
      BlockPlaces before = places;
      List<@Nullable Twin> twinBefore = new ArrayList<>(twin);
      int blocks = random.nextInt(4) == 0 ? random.nextInt(1200) : twin.size();
      BlockPlaces.Editor editor = places.edit(blocks);
      int fresh = FRESH + round;
      while (twin.size() > blocks) {
        twin.removeLast();
      }
      while (twin.size() < blocks) {
        twin.add(null);
      }
      for (int i = random.nextInt(5); i > 0 && blocks > 0; i--) {
        edit(random, editor, twin, blocks, fresh);
      }
      // Where those of a new segment begin there is known last.
      long start = random.nextInt(1 << 20);
      places = editor.build(fresh, start);
      twin.replaceAll(one -> one != null && one.segment == fresh ? one.from(start) : one);
      compare(places, twin);
      compare(before, twinBefore);
    }
  }

  private static void edit(
      Random random, BlockPlaces.Editor editor, List<@Nullable Twin> twin, int blocks, int fresh) {
    int first = random.nextInt(blocks);
    int count = 1 + random.nextInt(random.nextBoolean() ? 3 : blocks - first);
    count = Math.min(count, blocks - first);
    if (random.nextInt(4) == 0) {
      editor.putZeros(first, count);
      for (int i = 0; i < count; i++) {
        twin.set(first + i, null);
      }
      return;
    }
    int segment = random.nextBoolean() ? fresh : random.nextInt(5);
    long offset = random.nextInt(1 << 20);
    boolean equal = random.nextBoolean();
    for (int i = 0; i < count; i++) {
      int length = equal ? 512 : 1 + random.nextInt(512);
      Twin one = new Twin(segment, offset, length, equal ? 0 : 2, random.nextLong(), i);
      editor.put(first + i, segment, offset, length, one.codec, one.low, one.high);
      twin.set(first + i, one);
      offset += length;
    }
  }

  private static void compare(BlockPlaces places, List<@Nullable Twin> twin) {
    assertThat(places.blocks()).isEqualTo(twin.size());
    BitSet wanted = new BitSet();
    wanted.set(3);
    TreeSet<Integer> expected = new TreeSet<>();
    int zeros = 0;
    for (int block = twin.size() - 1; block >= 0; block--) {
      Twin one = twin.get(block);
      zeros = one == null ? zeros + 1 : 0;
      assertThat(places.zerosFrom(block)).isEqualTo(zeros);
      if (one != null) {
        assertThat(
                new Twin(
                    places.segment(block),
                    places.offset(block),
                    places.storedLength(block),
                    places.codec(block),
                    places.low(block),
                    places.high(block)))
            .isEqualTo(one);
        if (one.segment == 3) {
          expected.add(block);
        }
      }
    }
    BlockSet.Builder found = new BlockSet.Builder();
    places.find(wanted, found);
    assertThat(numbers(found.build())).isEqualTo(expected);
  }

  private static TreeSet<Integer> numbers(BlockSet set) {
    TreeSet<Integer> numbers = new TreeSet<>();
    for (int i = 0; i < set.ranges(); i++) {
      for (int block = set.first(i); block < set.end(i); block++) {
        numbers.add(block);
      }
    }
    return numbers;
  }

  @SeededTest(seeds = 50)
  void setsAreWhatSetsAre(Random random) {
    TreeSet<Integer> one = new TreeSet<>();
    TreeSet<Integer> other = new TreeSet<>();
    BlockSet first = random(random, one);
    BlockSet second = random(random, other);
    assertThat(numbers(first)).isEqualTo(one);
    assertThat(first.count()).isEqualTo(one.size());
    assertThat(numbers(first.below(40))).isEqualTo(new TreeSet<>(one.headSet(40)));
    for (int block = 0; block < 110; block++) {
      assertThat(first.contains(block)).isEqualTo(one.contains(block));
    }
    one.addAll(other);
    assertThat(numbers(first.union(second))).isEqualTo(one);
    assertThat(first.union(second)).isEqualTo(second.union(first));
  }

  private static BlockSet random(Random random, TreeSet<Integer> twin) {
    BlockSet.Builder set = new BlockSet.Builder();
    for (int i = random.nextInt(12); i > 0; i--) {
      int from = random.nextInt(100);
      int to = from + 1 + random.nextInt(5);
      set.add(from, to);
      for (int block = from; block < to; block++) {
        twin.add(block);
      }
    }
    return set.build();
  }

  /** A binary counter of every eighth: as many links as its number has bits, and what is due. */
  @Test
  void aChainHasAsManyLinksAsItsNumberHasBits() {
    Chain chain = new Chain(List.of(step(0, Changes.NONE)), 1, Changes.NONE);
    for (int flush = 1; flush < Chain.MOST; flush++) {
      assertThat(chain.flushes()).isEqualTo(flush);
      assertThat(chain.isFull()).isFalse();
      Changes.Builder mine = new Changes.Builder();
      mine.add("a", flush);
      if (chain.isDue()) {
        Changes told = chain.merged().union(mine.build());
        int link = flush & (flush - 1);
        assertThat(told.of("a")).isEqualTo(BlockSet.range(link + 1, flush + 1));
        chain = chain.kept().plus(step(flush, told)).flushed(Changes.NONE);
      } else {
        chain = chain.flushed(chain.since().union(mine.build()));
      }
      int last = flush / Chain.EVERY * Chain.EVERY;
      assertThat(chain.steps()).hasSize(1 + Integer.bitCount(last));
      assertThat(chain.since().count()).isEqualTo(flush - last);
    }
    assertThat(chain.isFull()).isTrue();
  }

  private static Chain.Step step(int number, Changes changes) {
    return new Chain.Step(number, "index" + number, Digest.NONE, 1, changes);
  }

  @Test
  void deadSegmentsAndTheSmallestOfManyAreEmptied() {
    List<Reference> references = new ArrayList<>();
    for (int i = 1; i <= 16; i++) {
      references.add(new Reference(Flushes.segment(i, 0), 1000, 500 + i, Digest.NONE));
    }
    references.add(new Reference(Flushes.segment(99, 0), 1000, 499, Digest.NONE));
    assertThat(Emptying.of(manifest(references))).containsExactly(Flushes.segment(99, 0));
    references.add(new Reference(Flushes.segment(17, 0), 1000, 900, Digest.NONE));
    references.add(new Reference(Flushes.segment(17, 1), 1000, 501, Digest.NONE));
    assertThat(Emptying.of(manifest(references)))
        .as("the smallest nine of seventeen, and the dead one; no other group")
        .hasSize(10)
        .contains(Flushes.segment(1, 0), Flushes.segment(9, 0), Flushes.segment(99, 0));
    references.add(
        new Reference(Flushes.identity(98, 0).forIndices().name(), 1000, 1, Digest.NONE));
    assertThat(Emptying.of(manifest(references))).as("nothing can leave an index").hasSize(10);
  }

  private static Manifest manifest(List<Reference> references) {
    return new Manifest(
        Flushes.version(20),
        Flushes.lineage(),
        Instant.EPOCH,
        Instant.EPOCH,
        List.of(),
        references,
        Label.none());
  }

  /** What was not agreed on is not remembered. */
  @Test
  void onlyWhatIsStableCounts() {
    FlushMemory memory = new FlushMemory();
    Flushed first = flushed(1);
    memory.propose(first);
    assertThat(memory.of(base(1))).isEmpty();
    memory.propose(first);
    memory.settle(Flushes.version(1));
    assertThat(memory.of(base(1))).contains(first);
    memory.propose(flushed(2));
    assertThat(memory.of(base(2))).isEmpty();
    memory.settle(Flushes.version(2));
    assertThat(memory.of(base(1))).contains(first);
    FlushBase again = new FlushBase(false, 5, Optional.of(Flushes.version(1)), 77, Set.of());
    assertThat(memory.of(again)).as("another flush of the same version").isEmpty();
  }

  private static Flushed flushed(long sequence) {
    return new Flushed(
        Optional.of(Flushes.version(sequence)),
        (int) sequence,
        IndexMemory.EMPTY,
        Chain.NONE,
        Map.of(),
        Verification.never());
  }

  private static FlushBase base(long sequence) {
    return new FlushBase(
        false, 5, Optional.of(Flushes.version(sequence)), (int) sequence, Set.of());
  }
}
