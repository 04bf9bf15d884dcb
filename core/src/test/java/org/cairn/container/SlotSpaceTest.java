// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
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
}
