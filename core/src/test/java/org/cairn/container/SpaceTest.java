// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The life of a container's space, without the container: two versions retained, random changes.
 */
class SpaceTest {
  private static final long BLOCK = 16 << 10;
  private static final int BLOCKS_PER_WRITE = 256;

  /** What a commit refers to besides blocks; the last two are needed. */
  private record Metadata(long place, long length) {}

  /** A state of equal blocks, and where each of them lies. */
  private static final class State {
    final Space space;
    final long[] places;
    final Random random;
    ExtentList outdated = new ExtentList();
    final List<Metadata> records = new ArrayList<>();
    final MoveQuota.History history = new MoveQuota.History();
    final Tail tail = new Tail();
    long lastDelta;
    long lastMoved;
    long lastWritten;
    long dirty;
    long moved;
    int writes;

    State(int blocks, long seed) {
      space = new Space(Space.regionBitsFor(blocks * BLOCK));
      places = new long[blocks];
      Arrays.fill(places, -1);
      random = new Random(seed);
    }

    void commit(double fraction) {
      space.begin();
      boolean tooLong = space.isTooLong(tail.mostLive());
      BitSet victims = space.victims(lastDelta > 0 ? lastDelta : history.usualChange(), tooLong);
      MoveQuota quota = history.next(!tooLong, 0);
      BitSet chosen = randomBlocks(fraction);
      int changed = chosen.cardinality();
      quota.changed(changed * BLOCK);
      for (int i = 0; i < places.length; i++) {
        boolean wanted = places[i] >= 0 && space.touches(victims, places[i], BLOCK);
        if (wanted && !chosen.get(i) && quota.take(BLOCK)) {
          chosen.set(i);
        }
      }
      lastMoved = (chosen.cardinality() - changed) * BLOCK;
      history.note(changed * BLOCK);
      tail.note(space.end(), space.liveBytes());
      dirty += changed;
      moved += chosen.cardinality() - changed;
      write(chosen.stream().toArray());
      space.settle();
      lastDelta = changed * BLOCK;
      lastWritten = chosen.cardinality() * BLOCK;
      space.shrink(lastDelta);
    }

    /** Never less than what is live now, and all that a rewritten state had at one time. */
    private long mostLive() {
      return Math.max(space.liveBytes(), 2L * places.length * BLOCK);
    }

    private BitSet randomBlocks(double fraction) {
      BitSet chosen = new BitSet();
      if (fraction >= 1) {
        chosen.set(0, places.length);
      }
      for (int i = 0; fraction < 1 && i < places.length * fraction; i++) {
        chosen.set(random.nextInt(places.length));
      }
      return chosen;
    }

    private void write(int[] blocks) {
      ExtentList freed = new ExtentList();
      long[] fresh = new long[blocks.length];
      int next = 0;
      while (next < blocks.length) {
        long wanted = Math.min(BLOCKS_PER_WRITE, blocks.length - next) * BLOCK;
        Space.Extent extent = space.take(wanted, BLOCK);
        writes++;
        for (long at = 0; at + BLOCK <= extent.length(); at += BLOCK) {
          fresh[next++] = extent.offset() + at;
        }
      }
      long length = 4096 + 16L * blocks.length;
      Space.Extent record = space.take(length, length);
      for (int i = 0; i < blocks.length; i++) {
        move(blocks[i], fresh[i], freed);
      }
      keep(new Metadata(record.offset(), length));
      outdated.forEach(space::release);
      outdated = freed;
    }

    private void move(int block, long place, ExtentList freed) {
      if (places[block] >= 0) {
        freed.extent(places[block], BLOCK);
        space.outdate(places[block], BLOCK);
      }
      places[block] = place;
      space.occupyMovable(place, BLOCK);
    }

    private void keep(Metadata record) {
      space.occupy(record.place, record.length);
      records.add(record);
      if (records.size() > 2) {
        Metadata old = records.removeFirst();
        space.release(old.place, old.length);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1024, 0.10, 1000", "4096, 0.03, 600", "4096, 0.30, 200", "8192, 0.001, 2000"})
  void staysWithinTwiceTheLiveDataPlusTheDelta(int blocks, double fraction, int commits) {
    State state = new State(blocks, 1);
    state.commit(1);
    state.dirty = 0;
    for (int i = 0; i < commits; i++) {
      state.commit(fraction);
      assertThat(state.space.end())
          .as("commit %d", i)
          .isLessThanOrEqualTo(2 * state.space.liveBytes() + state.lastWritten);
    }
    double amplification = 1 + (double) state.moved / state.dirty;
    assertThat(amplification).as("bytes written for each dirty byte").isLessThan(1.45);
  }

  @ParameterizedTest
  @CsvSource({"4096, 0.10, 300", "4096, 0.03, 300", "8192, 0.01, 300"})
  void noCommitMovesMoreThanAThirdOfWhatChanged(int blocks, double fraction, int commits) {
    State state = new State(blocks, 5);
    state.commit(1);
    for (int i = 0; i < commits; i++) {
      state.commit(fraction);
      assertThat(state.lastMoved)
          .as("commit %d", i)
          .isLessThanOrEqualTo((long) (0.3 * state.lastDelta) + (1L << 20));
    }
    assertThat(state.moved).as("something has to be moved").isPositive();
  }

  @Test
  void nothingIsMovedWhereNothingChanged() {
    State state = new State(4096, 6);
    state.commit(1);
    for (int i = 0; i < 100; i++) {
      state.commit(0.1);
      state.commit(0);
      assertThat(state.lastWritten).isZero();
    }
  }

  @Test
  void aFileKeepsItsTailWhileLargeChangesComeAgain() {
    State state = new State(4096, 7);
    long longest = 0;
    for (int round = 0; round < 4; round++) {
      state.commit(1);
      if (round >= 2) {
        assertThat(state.space.end()).as("round %d", round).isLessThanOrEqualTo(longest);
      }
      for (int i = 0; i < 20; i++) {
        state.commit(0.03);
        long live = state.mostLive();
        longest = state.tail.keep(state.space.end());
        assertThat(longest).isLessThanOrEqualTo(2 * live + (4L << 20));
      }
    }
    long before = longest;
    for (int i = 0; i < 40; i++) {
      state.commit(0.03);
    }
    assertThat(state.tail.keep(state.space.end())).as("nobody needed it").isLessThan(before);
  }

  @Test
  void shrinksAfterTheStateWasRewrittenSeveralTimes() {
    State state = new State(2048, 2);
    for (int i = 0; i < 4; i++) {
      state.commit(1);
    }
    for (int i = 0; i < 30; i++) {
      state.commit(0.05);
    }
    assertThat(state.space.end()).isLessThanOrEqualTo(2 * state.space.liveBytes());
  }

  @Test
  void writesStayLargeOnAnOldFile() {
    State state = new State(8192, 3);
    state.commit(1);
    for (int i = 0; i < 200; i++) {
      state.commit(0.1);
    }
    state.writes = 0;
    long before = state.dirty + state.moved;
    for (int i = 0; i < 20; i++) {
      state.commit(0.1);
    }
    double blocksPerWrite = (state.dirty + state.moved - before) / (double) state.writes;
    assertThat(blocksPerWrite * BLOCK).as("bytes a write").isGreaterThan(400_000);
  }

  @Test
  void anAbortedCommitLeavesNoTrace() {
    State state = new State(256, 4);
    state.commit(1);
    state.commit(0.1);
    long end = state.space.end();
    long live = state.space.liveBytes();
    Space.Mark mark = state.space.begin();
    Space.Extent first = state.space.take(40 * BLOCK, BLOCK);
    state.space.abort(mark);
    assertThat(state.space.end()).isEqualTo(end);
    assertThat(state.space.liveBytes()).isEqualTo(live);
    state.space.begin();
    assertThat(state.space.take(40 * BLOCK, BLOCK)).isEqualTo(first);
  }

  /** What a commit took, and until when it is needed. */
  private record Taken(Space.Extent extent, int until) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void nothingThatIsNeededIsEverTaken(long seed) {
    Random random = new Random(seed);
    Space space = new Space(12 + random.nextInt(5));
    List<Taken> needed = new ArrayList<>();
    for (int commit = 0; commit < 400; commit++) {
      final Space.Mark mark = space.begin();
      List<Taken> taken = new ArrayList<>();
      for (int i = random.nextInt(12); i >= 0; i--) {
        long least = 1 + random.nextInt(40_000);
        Space.Extent extent = space.take(least * (1 + random.nextInt(3)), least);
        taken.add(new Taken(extent, commit + random.nextInt(1 + random.nextInt(100))));
      }
      if (random.nextInt(4) > 0) {
        long length = 1 + random.nextInt(1 + random.nextInt(300_000));
        taken.add(new Taken(space.takeApart(length), commit + 2));
      }
      assertApart(needed, taken, seed, commit);
      if (random.nextInt(6) == 0) {
        space.abort(mark);
        continue;
      }
      taken.forEach(one -> space.occupy(one.extent.offset(), one.extent.length()));
      needed.addAll(taken);
      space.settle();
      int now = commit;
      needed.stream()
          .filter(one -> one.until <= now)
          .forEach(one -> space.release(one.extent.offset(), one.extent.length()));
      needed.removeIf(one -> one.until <= now);
      space.shrink(random.nextInt(100_000));
    }
  }

  private static void assertApart(List<Taken> needed, List<Taken> taken, long seed, int commit) {
    List<Space.Extent> all = new ArrayList<>();
    needed.forEach(one -> all.add(one.extent));
    for (Taken one : taken) {
      Space.Extent extent = one.extent;
      assertThat(extent.offset()).isGreaterThanOrEqualTo(ContainerFormat.FIRST_EXTENT);
      for (Space.Extent other : all) {
        boolean overlap =
            extent.offset() < other.offset() + other.length()
                && other.offset() < extent.offset() + extent.length();
        assertThat(overlap)
            .as("%s and %s, commit %d, seed %d", extent, other, commit, seed)
            .isFalse();
      }
      all.add(extent);
    }
    for (Taken one : needed) {
      // A commit never writes to a page that holds what is durable.
      long page = (one.extent.offset() + one.extent.length() - 1) / 4096;
      assertThat(taken.stream().noneMatch(t -> t.extent.offset() / 4096 == page))
          .as("page %d, commit %d, seed %d", page, commit, seed)
          .isTrue();
    }
  }

  @Test
  void whatIsKeptApartLeavesNoHolesBetweenBlocks() {
    Space space = new Space(16);
    List<Space.Extent> roots = new ArrayList<>();
    long blocks = 0;
    for (int commit = 0; commit < 1000; commit++) {
      space.begin();
      Space.Extent block = space.take(BLOCK, BLOCK);
      Space.Extent root = space.takeApart(4096 + 240L * commit);
      space.occupyMovable(block.offset(), block.length());
      space.occupy(root.offset(), root.length());
      roots.add(root);
      if (roots.size() > 2) {
        Space.Extent old = roots.removeFirst();
        space.release(old.offset(), old.length());
      }
      space.settle();
      blocks += BLOCK;
    }
    assertThat(space.end()).isLessThan(blocks + blocks / 2);
  }
}
