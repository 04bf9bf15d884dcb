// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.SlotRuns;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotSpaceTest {

  private static List<Integer> slots(SlotRuns runs) {
    List<Integer> slots = new ArrayList<>();
    for (int block = 0; block < runs.blocks(); block++) {
      slots.add(runs.slotOf(block));
    }
    return slots;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void noSlotIsEverTakenTwice(long seed) {
    Random random = new Random(seed);
    SlotSpace space = new SlotSpace();
    List<SlotRuns> datasets = new ArrayList<>();
    for (int step = 0; step < 500; step++) {
      if (datasets.isEmpty() || random.nextInt(3) > 0) {
        datasets.add(space.take(SlotRuns.NONE, random.nextInt(20)));
      } else {
        int chosen = random.nextInt(datasets.size());
        SlotRuns runs = datasets.get(chosen);
        int keep = runs.blocks() == 0 ? 0 : random.nextInt(runs.blocks() + 1);
        space.release(runs.suffix(keep));
        datasets.set(chosen, space.take(runs.prefix(keep), random.nextInt(5)));
      }
      Set<Integer> taken = new HashSet<>();
      for (SlotRuns runs : datasets) {
        for (int slot : slots(runs)) {
          assertThat(taken.add(slot)).as("slot %d, step %d, seed %d", slot, step, seed).isTrue();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void newSlotsAreTakenOnlyIfNoRunFits(long seed) {
    Random random = new Random(seed);
    SlotSpace space = new SlotSpace();
    BitSet used = new BitSet();
    List<SlotRuns> taken = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      if (!taken.isEmpty() && random.nextInt(5) < 2) {
        SlotRuns gone = taken.remove(random.nextInt(taken.size()));
        gone.forEach(used::clear);
        space.release(gone);
      } else {
        int count = 1 + random.nextInt(random.nextInt(4) == 0 ? 100 : 5);
        boolean fits = hasGap(used, count);
        SlotRuns runs = space.take(SlotRuns.NONE, count);
        assertThat(runs.runs()).isEqualTo(1);
        assertThat(runs.first(0) >= used.length()).as("behind all others").isNotEqualTo(fits);
        runs.forEach(used::set);
        taken.add(runs);
      }
    }
  }

  private static boolean hasGap(BitSet used, int count) {
    for (int from = used.nextClearBit(0); from < used.length(); ) {
      int to = used.nextSetBit(from);
      if (to - from >= count) {
        return true;
      }
      from = used.nextClearBit(to);
    }
    return false;
  }

  @Test
  void releasedSlotsAreUsedAgain() {
    SlotSpace space = new SlotSpace();
    SlotRuns first = space.take(SlotRuns.NONE, 10);
    space.take(SlotRuns.NONE, 5);
    space.release(first);
    assertThat(slots(space.take(SlotRuns.NONE, 4))).containsExactly(0, 1, 2, 3);
  }

  @Test
  void growingAppends() {
    SlotSpace space = new SlotSpace();
    SlotRuns a = space.take(SlotRuns.NONE, 2);
    space.take(SlotRuns.NONE, 2);
    assertThat(slots(space.take(a, 2))).containsExactly(0, 1, 4, 5);
    assertThat(space.take(a, 0)).isSameAs(a);
  }

  @Test
  void prefixAndSuffixArePartsOfTheWhole() {
    SlotRuns runs = SlotRuns.NONE.plus(10, 3).plus(20, 4).plus(2, 1);
    for (int cut = 0; cut <= runs.blocks(); cut++) {
      List<Integer> both = new ArrayList<>(slots(runs.prefix(cut)));
      both.addAll(slots(runs.suffix(cut)));
      assertThat(both).containsExactly(10, 11, 12, 20, 21, 22, 23, 2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 40})
  void datasetsThatGrowInTurnsHaveFewRuns(int datasets) {
    SlotSpace space = new SlotSpace();
    List<SlotRuns> growing = new ArrayList<>(Collections.nCopies(datasets, SlotRuns.NONE));
    int growths = 20_000 / datasets;
    for (int i = 0; i < growths; i++) {
      growing.replaceAll(runs -> space.take(runs, 3));
    }
    for (SlotRuns runs : growing) {
      assertThat(runs.blocks()).isEqualTo(3 * growths);
      assertThat(runs.runs()).isLessThanOrEqualTo(2 + log2(runs.blocks()));
    }
    long slots = growing.stream().mapToLong(SlotRuns::blocks).sum();
    assertThat(growing.stream().mapToInt(SlotSpaceTest::end).max().orElseThrow())
        .as("slots used, of %d that there are blocks for", slots)
        .isLessThanOrEqualTo((int) (4 * slots));
  }

  @Test
  void theyHaveFewRunsAfterBeingOpenedAgainEachTime() {
    List<SlotRuns> growing = new ArrayList<>(Collections.nCopies(4, SlotRuns.NONE));
    for (int i = 0; i < 500; i++) {
      SlotSpace opened = SlotSpace.around(catalog(growing));
      growing.replaceAll(runs -> opened.take(runs, 3));
    }
    for (SlotRuns runs : growing) {
      assertThat(runs.runs()).isLessThanOrEqualTo(2 + log2(runs.blocks()));
    }
  }

  private static Catalog catalog(List<SlotRuns> all) {
    LinkedHashMap<String, DatasetEntry> entries = new LinkedHashMap<>();
    for (SlotRuns runs : all) {
      String name = "d" + entries.size();
      long bytes = 128L * runs.blocks();
      DatasetSpec spec =
          new DatasetSpec(
              name,
              ElementType.BYTE,
              List.of(bytes),
              bytes,
              128,
              HashAlgorithm.XXH3_128,
              Codec.NONE);
      entries.put(name, new DatasetEntry(spec, runs, List.of()));
    }
    return new Catalog(entries);
  }

  private static int log2(int number) {
    return 32 - Integer.numberOfLeadingZeros(number);
  }

  private static int end(SlotRuns runs) {
    int[] end = {0};
    runs.forEach((from, to) -> end[0] = Math.max(end[0], to));
    return end[0];
  }

  @Test
  void allSlotsCanBeTakenEvenIfTheyLieInPieces() {
    SlotSpace space = new SlotSpace();
    SlotRuns a = space.take(SlotRuns.NONE, 1 << 29);
    SlotRuns b = space.take(SlotRuns.NONE, 1 << 29);
    SlotRuns c = space.take(SlotRuns.NONE, 1 << 29);
    space.release(a);
    space.release(c);
    int left = Integer.MAX_VALUE - (1 << 29);
    assertThatThrownBy(() -> space.take(SlotRuns.NONE, left + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("larger block size");
    SlotRuns rest = space.take(SlotRuns.NONE, left);
    assertThat(rest.blocks()).isEqualTo(left);
    assertThat(rest.runs()).isEqualTo(2);
    assertThat(b.blocks()).isEqualTo(1 << 29);
    assertThatThrownBy(() -> space.take(SlotRuns.NONE, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** With many holes that do not fit, and looked at as often as a tree is deep. */
  @Test
  void findingSlotsTakesFewStepsHoweverManyDatasetsThereAre() {
    long few = stepsFor(10_000);
    long many = stepsFor(40_000);
    assertThat(many).as("steps for 4 times as many datasets as took %d", few).isLessThan(5 * few);
    assertThat(few).isLessThan(10_000 * 60L);
  }

  private static long stepsFor(int datasets) {
    long[] steps = {0};
    SlotSpace space =
        new SlotSpace(
            (a, b) -> {
              steps[0]++;
              return Long.compare(a, b);
            });
    List<SlotRuns> all = new ArrayList<>();
    for (int i = 0; i < datasets; i++) {
      all.add(space.take(SlotRuns.NONE, 2));
    }
    for (int i = 0; i < datasets; i += 2) {
      space.release(all.get(i));
    }
    steps[0] = 0;
    for (int i = 0; i < datasets; i++) {
      space.take(SlotRuns.NONE, 3);
    }
    for (int i = 1; i < datasets; i += 2) {
      space.release(all.get(i).suffix(1));
    }
    return steps[0];
  }
}
