// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.HashAlgorithm;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.RottingStore;
import org.cairn.testkit.store.RottingStore.Kind;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nobody knows what a version has whose map cannot be read; so nothing of it is overwritten, as
 * long as it is retained: the map may be read again one day, or be whole in a cache.
 */
@Timeout(600)
class UnreadableMapTest {
  private static final String NAME = "a.cairn";
  private static final int RETAINED = 8;

  /** What was written; {@code rotting} shows it with bad sectors. */
  private final MemoryStore disk = new MemoryStore();

  private final RottingStore rotting = RottingStore.over(disk);
  private final Map<VersionId, SmallState> model = new HashMap<>();
  private final Set<VersionId> pinned = new HashSet<>();
  private SmallState state = new SmallState();
  private int sequence;

  private Set<VersionId> keep(List<VersionId> versions) {
    Set<VersionId> kept = new HashSet<>(pinned);
    kept.addAll(versions.subList(Math.max(0, versions.size() - RETAINED), versions.size()));
    return kept;
  }

  private void commit(Container container, Random random) throws IOException {
    for (int i = 0; i < 5; i++) {
      state.change(random);
    }
    VersionId id = TestRun.id(container.epoch(), ++sequence, 1);
    state.commit(container, id);
    model.put(id, state.copy());
  }

  private SmallState saved(VersionId id) {
    return Objects.requireNonNull(model.get(id));
  }

  /** Every version that the file lists, as a reader sees it that has no bad sectors. */
  private void checkAllThatWasWritten() throws IOException {
    try (ContainerReader reader = ContainerReader.open(disk, NAME)) {
      for (VersionInfo version : reader.versions()) {
        assertThat(SmallState.read(reader.view(version.id())))
            .as("version %s", version.id())
            .isEqualTo(saved(version.id()));
      }
    }
  }

  private static Set<VersionId> unreadable(Container container) {
    Set<VersionId> unreadable = new HashSet<>();
    for (VersionInfo version : container.versions()) {
      try {
        container.view(version);
      } catch (CorruptContainerException e) {
        unreadable.add(version.id());
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    return unreadable;
  }

  @SeededTest(seeds = 5)
  void nothingItHasIsOverwritten(Random random) throws IOException {
    try (Container container = TestRun.open(disk, NAME, this::keep)) {
      for (int i = 0; i < 14; i++) {
        commit(container, random);
      }
      Pointer bad = anyButTheLastBase(container, random);
      Kind kind = random.nextBoolean() ? Kind.FLIPPED : Kind.UNREADABLE;
      rotting.rot(NAME, bad.offset() + random.nextLong(bad.length()), 1, kind);
    }
    try (Container container = TestRun.open(rotting, NAME, this::keep)) {
      Set<VersionId> lost = unreadable(container);
      assertThat(lost).isNotEmpty();
      for (VersionId version : lost) {
        assertThat(container.problems())
            .anyMatch(problem -> problem.contains(version + " cannot be read; nothing"));
      }
      state = saved(container.base().orElseThrow().id()).copy();
      for (int i = 0; i < 2 * RETAINED; i++) {
        commit(container, random);
        checkAllThatWasWritten();
        if (random.nextInt(4) == 0) {
          pinned.clear();
          container.versions().stream()
              .filter(_ -> random.nextInt(3) == 0)
              .forEach(version -> pinned.add(version.id()));
        }
      }
    }
  }

  /** A damaged base may leave nothing to go on from, which is another story. */
  private static Pointer anyButTheLastBase(Container container, Random random) {
    List<Root.MapRef> records = container.held().root().records();
    int last = records.size() - 1;
    while (!records.get(last).base()) {
      last--;
    }
    int any = random.nextInt(records.size() - 1);
    return records.get(any < last ? any : any + 1).place();
  }

  // ---------------------------------------------------------------- how long the file becomes

  private static SmallState steady() {
    SmallState state = new SmallState();
    byte[] bytes = new byte[200_000];
    new Random(5).nextBytes(bytes);
    state.datasets.put("u", new SmallState.Content(bytes, 1024, HashAlgorithm.XXH3_128));
    return state;
  }

  private long commitSome(Container container, int count) throws IOException {
    long longest = 0;
    for (int i = 0; i < count; i++) {
      SmallState.Content u = Objects.requireNonNull(state.datasets.get("u"));
      byte[] next = u.bytes().clone();
      for (int block = 0; block < 20; block++) {
        next[(sequence * 37 + block * 11) % 195 * 1024]++;
      }
      state.datasets.put("u", u.withBytes(next));
      VersionId id = TestRun.id(container.epoch(), ++sequence, 1);
      state.commit(container, id);
      model.put(id, state.copy());
      longest = Math.max(longest, container.usage().fileBytes());
    }
    return longest;
  }

  /** Rots the map of a version in the middle, with newer ones that can be read. */
  private long rotAMap() throws IOException {
    try (Container container = TestRun.open(disk, NAME, this::keep)) {
      long longest = commitSome(container, 80);
      while (container.held().root().records().stream().filter(Root.MapRef::base).count() < 2) {
        commitSome(container, 1);
      }
      Pointer bad = container.held().root().records().getFirst().place();
      rotting.rot(NAME, bad.offset(), 1, Kind.FLIPPED);
      return longest;
    }
  }

  @Test
  void theSpaceIsUsedAgainWhenTheVersionIsDropped() throws IOException {
    state = steady();
    long usual = rotAMap();
    try (Container container = TestRun.open(rotting, NAME, this::keep)) {
      assertThat(unreadable(container)).isNotEmpty();
      commitSome(container, RETAINED);
      assertThat(unreadable(container)).isEmpty();
      commitSome(container, 40);
      assertThat(commitSome(container, 40)).isLessThan(usual + usual / 4);
      checkAllThatWasWritten();
    }
  }

  @Test
  void theFileDoesNotGrowForEverWhileItIsRetained() throws IOException {
    state = steady();
    long usual = rotAMap();
    try (Container container = TestRun.open(rotting, NAME, this::keep)) {
      pinned.addAll(unreadable(container));
      assertThat(commitSome(container, 120)).isLessThan(3 * usual);
      assertThat(unreadable(container)).isEqualTo(pinned);
      checkAllThatWasWritten();
    }
  }
}
