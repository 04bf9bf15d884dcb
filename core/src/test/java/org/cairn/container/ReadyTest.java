// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.Survival;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A commit in two steps: what is ready can be published or given up, by anybody, once. */
@Timeout(600)
class ReadyTest {
  private static final String NAME = "a.cairn";

  private final Map<VersionId, SmallState> model = new HashMap<>();
  private final SmallState state = new SmallState();

  @Test
  void whatIsReadyIsKnownButCannotBeFound() throws IOException {
    MemoryStore store = new MemoryStore();
    try (Container container = TestRun.open(store, NAME, 3)) {
      state.change(Seeds.content(1));
      Commit commit = state.begin(container, TestRun.id(1, 1, 1));
      VersionInfo ready = commit.ready();
      assertThat(commit.ready()).as("asked again").isEqualTo(ready);
      assertThat(container.versions()).isEmpty();
      try (ContainerReader reader = ContainerReader.open(store, NAME)) {
        assertThat(reader.versions()).isEmpty();
      }
      assertThatThrownBy(() -> commit.plan(state.datasets.values().iterator().next().spec("x")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is ready already");
      assertThat(commit.publish()).isEqualTo(ready);
      assertThat(container.versions()).containsExactly(ready);
      assertThat(commit.abort()).as("too late").isFalse();
    }
  }

  @SeededTest(seeds = 10)
  void whatWasGivenUpLeavesNoTrace(Random random) throws Exception {
    MemoryStore store = new MemoryStore();
    try (Container container = TestRun.open(store, NAME, 3);
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      for (int i = 1; i <= 40; i++) {
        SmallState before = state.copy();
        state.change(random);
        VersionId id = TestRun.id(1, i, 1);
        byte[] bytes = bytes(store);
        Commit commit = state.begin(container, id);
        if (random.nextBoolean()) {
          commit.ready();
        }
        if (random.nextInt(3) == 0) {
          commit.publish();
          model.put(id, state.copy());
        } else {
          assertThat(other.submit(commit::abort).get()).isTrue();
          assertThat(commit.abort()).isFalse();
          assertThatThrownBy(commit::publish).isInstanceOf(IllegalStateException.class);
          assertThat(bytes(store)).as("length of the file").hasSameSizeAs(bytes);
          state.datasets.clear();
          state.datasets.putAll(before.datasets);
        }
        verify(container);
      }
    }
    try (Container container = TestRun.open(store, NAME, 3)) {
      assertThat(container.problems()).isEmpty();
      verify(container);
    }
  }

  @SeededTest(seeds = 4)
  void ofPublishingAndGivingUpExactlyOneWins(Random random) throws Exception {
    MemoryStore store = new MemoryStore();
    CyclicBarrier together = new CyclicBarrier(2);
    try (Container container = TestRun.open(store, NAME, 3);
        ExecutorService two = Executors.newFixedThreadPool(2)) {
      for (int i = 1; i <= 150; i++) {
        SmallState before = state.copy();
        state.change(random);
        VersionId id = TestRun.id(1, i, 1);
        Commit commit = state.begin(container, id);
        commit.ready();
        int spin = random.nextInt(2000);
        Future<Boolean> publishing = two.submit(() -> waitAnd(together, 0, () -> publish(commit)));
        Future<Boolean> aborting = two.submit(() -> waitAnd(together, spin, commit::abort));
        boolean durable = publishing.get();
        assertThat(aborting.get()).isEqualTo(!durable);
        assertThat(container.versions().stream().anyMatch(v -> v.id().equals(id)))
            .isEqualTo(durable);
        if (durable) {
          model.put(id, state.copy());
        } else {
          state.datasets.clear();
          state.datasets.putAll(before.datasets);
        }
        verify(container);
      }
    }
  }

  private static boolean waitAnd(CyclicBarrier together, int spin, Callable<Boolean> deed)
      throws Exception {
    together.await();
    for (int i = 0; i < spin; i++) {
      Thread.onSpinWait();
    }
    return deed.call();
  }

  private static boolean publish(Commit commit) throws IOException {
    try {
      commit.publish();
      return true;
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("has ended");
      return false;
    }
  }

  @Test
  void aFailedForceOfWhatShouldBecomeReadyIsFinal() throws IOException {
    for (int force = 1; force <= 2; force++) {
      CrashingStore store = new CrashingStore(force);
      try (Container container = TestRun.open(store, NAME, 3)) {
        state.change(Seeds.content(force));
        VersionInfo first = state.commit(container, TestRun.id(1, 1, 1));
        model.put(first.id(), state.copy());
        state.change(Seeds.content(force + 10));
        Commit commit = state.begin(container, TestRun.id(1, 2, 1));
        store.failForce(force);
        if (force == 2) {
          commit.ready();
        }
        assertThatThrownBy(commit::publish).isInstanceOf(IOException.class);
        assertThat(commit.abort()).isTrue();
        assertThat(container.isBroken()).isTrue();
      }
      model.put(TestRun.id(1, 2, 1), state.copy());
      try (Container container = TestRun.open(store, NAME, 3)) {
        // If the force of the superblock failed, nobody knows.
        assertThat(container.versions()).hasSizeBetween(1, force);
        verify(container);
      }
    }
  }

  /** Between the two steps nothing can be lost, and nothing found. */
  @SeededTest(seeds = 10)
  void aCrashWhileReadyLosesTheVersionOnly(Random random) throws IOException {
    CrashingStore store = new CrashingStore(random.nextLong());
    try (Container container = TestRun.open(store, NAME, 3)) {
      for (int i = 1; i <= 3; i++) {
        state.change(random);
        state.commit(container, TestRun.id(1, i, 1));
        model.put(TestRun.id(1, i, 1), state.copy());
      }
      List<VersionInfo> durable = container.versions();
      state.change(random);
      Commit commit = state.begin(container, TestRun.id(1, 4, 1));
      commit.ready();
      assertSurvive(store.survivor(Survival.LOSE_ALL), durable);
      assertSurvive(store.afterKill(), durable);
      commit.abort();
      for (int i = 0; i < 5; i++) {
        assertSurvive(store.survivor(random), durable);
      }
    }
  }

  private void assertSurvive(Store survivor, List<VersionInfo> durable) throws IOException {
    try (Container container = TestRun.open(survivor, NAME, 3)) {
      assertThat(container.versions()).isEqualTo(durable);
      verify(container);
    }
  }

  private void verify(Container container) throws IOException {
    for (VersionInfo version : container.versions()) {
      assertThat(SmallState.read(container.view(version)))
          .isEqualTo(Objects.requireNonNull(model.get(version.id())));
    }
  }

  private static byte[] bytes(Store store) throws IOException {
    try (StoreFile file = store.open(NAME, Store.Access.READ)) {
      byte[] bytes = new byte[Math.toIntExact(file.size())];
      file.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }
}
