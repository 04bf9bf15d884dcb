// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.FileNames;
import org.cairn.version.Delta;
import org.cairn.version.SlotOwners;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;

/** A map and a patch make another map, and what they make is known without looking at all of it. */
class MapPatchTest {
  private static final int VERSIONS = 4;
  private static final int NONE = -1;

  private final Member member = new Member(0, new MemoryStore());

  /** The maps of some versions of a state that changes in many ways, oldest first. */
  private List<MemberMap> maps(Container container, Random random) throws IOException {
    Team.add(member, random);
    for (int i = 1; i <= VERSIONS; i++) {
      Team.change(member, random);
      member.checkpoint(container, TestRun.id(1, i, 1));
    }
    List<MemberMap> maps = new ArrayList<>();
    for (VersionInfo version : container.versions().reversed()) {
      maps.add(map(container.view(version)));
    }
    return maps;
  }

  private static MemberMap map(VersionView view) throws IOException {
    Map<String, Long> sizes = new LinkedHashMap<>();
    view.datasets().forEach(dataset -> sizes.put(dataset.name(), dataset.spec().byteLength()));
    return MemberMap.of(view, ByteSpace.EMPTY.next(sizes));
  }

  @SeededTest(seeds = 8)
  void aPatchOfADeltaIsAsGoodAsThatOfAComparison(Random random) throws IOException {
    member.retain = VERSIONS;
    try (Container container = member.open()) {
      container.rememberDeltas();
      List<MemberMap> maps = maps(container, random);
      MemberMap newest = maps.getLast();
      try (ContainerReader reader = ContainerReader.open(member.store, FileNames.local(0))) {
        for (MemberMap before : maps.subList(0, VERSIONS - 1)) {
          Digest root = before.head().root();
          Delta delta = container.delta(before.info().id(), root, newest.info().id()).orElseThrow();
          MapPatch patch = MapPatch.of(delta, reader.changed(delta), newest.head());
          assertMakes(newest, apply(patch, before, NONE));
          assertMakes(newest, apply(MapPatch.between(before, newest), before, NONE));
        }
      }
    }
  }

  @SeededTest(seeds = 8)
  void aPatchFitsOnlyWhatItWasMadeFrom(Random random) throws IOException {
    member.retain = VERSIONS;
    List<MemberMap> maps;
    try (Container container = member.open()) {
      maps = maps(container, random);
    }
    for (MemberMap before : maps) {
      for (MemberMap now : maps) {
        MapPatch patch = MapPatch.between(before, now);
        Outcome outcome = apply(patch, before, NONE);
        assertMakes(now, outcome);
        for (MemberMap other : maps) {
          // What is in the way is mostly replaced; if anything else is left, it must be noticed.
          Outcome mixed = apply(patch, other, NONE);
          if (mixed.holds) {
            assertMakes(now, mixed);
          }
        }
        if (outcome.slots > 0) {
          int leftOut = random.nextInt(outcome.slots);
          assertThat(apply(patch, before, leftOut).holds).as("without one slot").isFalse();
        }
      }
    }
  }

  /** The root digest does not say in which slots blocks are, and is the same. */
  @Test
  void blocksThatTookOtherSlotsAreNotOverlooked() throws IOException {
    MemberMap one = mapOf("a", "b");
    MemberMap other = mapOf("b", "a");
    assertThat(one.head().root()).isEqualTo(other.head().root());
    assertMakes(other, apply(MapPatch.between(one, other), one, NONE));
    assertThat(apply(new MapPatch(other.head(), new byte[0]), one, NONE).holds).isFalse();
  }

  /** The map of a state with two datasets that were saved in this order. */
  private static MemberMap mapOf(String... names) throws IOException {
    Member saved = new Member(0, new MemoryStore());
    for (String name : names) {
      byte[] bytes = new byte[5000];
      new Random(name.hashCode()).nextBytes(bytes);
      saved.put(name, bytes, 1000);
    }
    try (Container container = saved.open()) {
      saved.checkpoint(container, TestRun.id(1, 1, 1));
      return map(container.view(container.versions().getFirst()));
    }
  }

  private static void assertMakes(MemberMap map, Outcome outcome) {
    assertThat(outcome.holds).isTrue();
    assertThat(outcome.pages).isEqualTo(map.pages().memory().toArray(ValueLayout.JAVA_BYTE));
  }

  private record Outcome(boolean holds, int slots, byte[] pages) {}

  /** Applies a patch, perhaps without one of its slots. */
  private static Outcome apply(MapPatch patch, MemberMap base, int leftOut) throws IOException {
    PatchCheck check = new PatchCheck(base.head(), patch.head());
    byte[] bytes = new byte[(int) DigestPages.bytes(check.end())];
    MemorySegment.copy(
        base.pages().memory(),
        0,
        MemorySegment.ofArray(bytes),
        0,
        base.pages().memory().byteSize());
    DigestPages pages = new DigestPages(MemorySegment.ofArray(bytes));
    Applying applying = new Applying(pages, check, leftOut);
    patch.forEach(Integer.MAX_VALUE, "a patch", applying);
    int end = SlotOwners.of(patch.head().datasets()).end();
    byte[] cut = Arrays.copyOf(bytes, (int) DigestPages.bytes(end));
    return new Outcome(check.holds(), applying.seen, cut);
  }

  private static final class Applying implements MapPatch.Visitor {
    private final DigestPages pages;
    private final PatchCheck check;
    private final int leftOut;
    private int seen;

    Applying(DigestPages pages, PatchCheck check, int leftOut) {
      this.pages = pages;
      this.check = check;
      this.leftOut = leftOut;
    }

    private interface Change {
      void run();
    }

    private void change(int slot, Change change) {
      if (seen++ != leftOut && slot < check.end()) {
        check.takeOut(slot, pages, slot);
        change.run();
        check.putIn(slot, pages, slot);
      }
    }

    @Override
    public void released(int slot) {
      change(slot, () -> pages.release(slot));
    }

    @Override
    public void zero(int slot) {
      change(slot, () -> pages.zero(slot));
    }

    @Override
    public void block(int slot, long low, long high) {
      change(slot, () -> pages.block(slot, low, high));
    }
  }
}
