// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.cairn.HashAlgorithm;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Versions that somebody drops between commits: the others stay whole, the space becomes free. */
@Timeout(600)
class DropVersionsTest {
  private static final String NAME = "a.cairn";

  private final Map<VersionId, SmallState> model = new HashMap<>();
  private SmallState state = new SmallState();

  @SeededTest(seeds = 8)
  void theRestStaysWholeAndIsContinued(Random random) throws IOException {
    MemoryStore store = new MemoryStore();
    Container container = TestRun.open(store, NAME, 8);
    for (int i = 1; i <= 120; i++) {
      state.change(random);
      VersionId id = TestRun.id(1, i, 1);
      state.commit(container, id);
      model.put(id, state.copy());
      if (random.nextInt(6) == 0) {
        container.continueFrom(any(container.versions(), random));
      }
      if (random.nextInt(4) == 0) {
        Set<VersionId> kept = someOf(container.versions(), random);
        container.dropAllBut(kept);
        assertThat(ids(container.versions())).isEqualTo(kept);
      }
      if (random.nextInt(10) == 0) {
        container.close();
        container = TestRun.open(store, NAME, 8);
        assertThat(container.problems()).isEmpty();
      }
      state = goOn(container);
      verify(container);
    }
    container.close();
  }

  private static VersionInfo any(List<VersionInfo> versions, Random random) {
    return versions.get(random.nextInt(versions.size()));
  }

  private static Set<VersionId> someOf(List<VersionInfo> versions, Random random) {
    Set<VersionId> kept = ids(versions);
    kept.removeIf(version -> random.nextBoolean());
    return kept;
  }

  private static Set<VersionId> ids(List<VersionInfo> versions) {
    Set<VersionId> ids = new HashSet<>();
    versions.forEach(version -> ids.add(version.id()));
    return ids;
  }

  /** What the next version is compared with. */
  private SmallState goOn(Container container) {
    return container
        .base()
        .map(base -> Objects.requireNonNull(model.get(base.id())).copy())
        .orElseGet(SmallState::new);
  }

  private void verify(Container container) throws IOException {
    for (VersionInfo version : container.versions()) {
      assertThat(SmallState.read(container.view(version)))
          .isEqualTo(Objects.requireNonNull(model.get(version.id())));
    }
  }

  @Test
  void theSpaceOfDroppedVersionsIsFree() throws IOException {
    MemoryStore store = new MemoryStore();
    try (Container container = TestRun.open(store, NAME, 8)) {
      Random random = Seeds.content(5);
      for (int i = 1; i <= 6; i++) {
        byte[] bytes = new byte[1 << 20];
        random.nextBytes(bytes);
        state.datasets.put("a", new SmallState.Content(bytes, 16384, HashAlgorithm.XXH3_128));
        state.commit(container, TestRun.id(1, i, 1));
      }
      assertThat(container.usage().liveBytes()).isGreaterThan(6 << 20);
      container.dropAllBut(Set.of(container.versions().getLast().id()));
      assertThat(container.usage().liveBytes()).isBetween(1L << 20, 2L << 20);
      assertThat(container.usage().fileBytes()).isLessThan(3 << 20);
      container.dropAllBut(Set.of());
      assertThat(container.versions()).isEmpty();
      assertThat(container.base()).isEmpty();
      assertThat(container.usage().liveBytes()).isLessThan(100_000);
      state.commit(container, TestRun.id(1, 7, 1));
    }
  }

  @Test
  void notWhileACommitIsOpen() throws IOException {
    try (Container container = TestRun.open(new MemoryStore(), NAME, 8)) {
      Commit commit = state.begin(container, TestRun.id(1, 1, 1));
      assertThatThrownBy(() -> container.dropAllBut(Set.of()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("1.1");
      commit.publish();
    }
  }

  /** A process that dies while it drops versions has dropped all of them, or none. */
  @SeededTest(seeds = 2)
  void isAllOrNothing(Random random) throws IOException {
    boolean ended = false;
    for (int operation = 1; !ended; operation++) {
      CrashingStore store = new CrashingStore(random.nextLong());
      Set<VersionId> all;
      Set<VersionId> kept;
      try (Container container = TestRun.open(store, NAME, 8)) {
        state = new SmallState();
        for (int i = 1; i <= 4; i++) {
          state.change(random);
          state.commit(container, TestRun.id(1, i, 1));
          model.put(TestRun.id(1, i, 1), state.copy());
        }
        all = ids(container.versions());
        kept = someOf(container.versions(), random);
        kept.remove(TestRun.id(1, 1 + random.nextInt(4), 1));
        store.crashAt(operation);
        ended = drop(container, kept);
      } catch (SimulatedCrash e) {
        continue; // Closing is the operation that the process died in.
      }
      for (int i = 0; i < 6; i++) {
        Store survivor = i == 0 ? store.afterKill() : store.survivor(random);
        try (Container container = TestRun.open(survivor, NAME, 8)) {
          assertThat(ids(container.versions())).isIn(ended ? Set.of(kept) : Set.of(all, kept));
          verify(container);
        }
      }
    }
  }

  private static boolean drop(Container container, Set<VersionId> kept) throws IOException {
    try {
      container.dropAllBut(kept);
      return true;
    } catch (SimulatedCrash e) {
      return false;
    }
  }
}
