// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.cairn.record.Digest;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Delta;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Tag;

/** What a container remembers of its versions is what a comparison of their maps finds. */
@Tag("models")
@Thorough(times = 8)
class DeltaTest {
  private final MemoryStore store = new MemoryStore();

  private static Digest root(VersionInfo version) {
    return new Digest(version.digestLow(), version.digestHigh());
  }

  @SeededTest(seeds = 20)
  void whatIsRememberedIsWhatMapsTell(Random random) throws IOException {
    SmallState state = new SmallState();
    int found = 0;
    try (Container container = TestRun.open(store, "a.cairn", 6)) {
      container.rememberDeltas();
      for (int i = 1; i <= 40; i++) {
        for (int changes = random.nextInt(4); changes > 0; changes--) {
          state.change(random);
        }
        if (random.nextInt(8) == 0 && !container.versions().isEmpty()) {
          List<VersionInfo> versions = container.versions();
          VersionInfo older = versions.get(random.nextInt(versions.size()));
          container.continueFrom(older);
          state = SmallState.read(container.view(older));
        }
        if (random.nextInt(8) == 0) {
          state.begin(container, TestRun.id(1, i, 1)).abort();
        } else {
          state.commit(container, TestRun.id(1, i, 1));
          found += compareWithAll(container);
        }
      }
    }
    assertThat(found).as("deltas that were remembered").isGreaterThan(50);
  }

  private int compareWithAll(Container container) throws IOException {
    List<VersionInfo> versions = container.versions();
    VersionInfo newest = versions.getFirst();
    try (ContainerReader reader = ContainerReader.open(store, "a.cairn")) {
      for (VersionInfo base : versions.subList(1, versions.size())) {
        Delta delta = container.delta(base.id(), root(base), newest.id()).orElseThrow();
        assertThat(delta.base()).isEqualTo(base);
        assertThat(delta.version()).isEqualTo(newest);
        compare(delta, reader.view(base.id()), reader.view(newest.id()), reader);
      }
    }
    return versions.size() - 1;
  }

  private static void compare(
      Delta delta, VersionView base, VersionView newest, ContainerReader reader)
      throws IOException {
    TreeSet<String> changed = new TreeSet<>();
    delta.<RuntimeException>forEachChanged(
        (dataset, block) -> changed.add(dataset.name() + " " + block));
    TreeSet<String> compared = new TreeSet<>();
    newest.<RuntimeException>forEachChanged(
        base, (dataset, block) -> compared.add(dataset.name() + " " + block));
    assertThat(changed).isEqualTo(compared);
    readAll(delta, newest, reader);
    gone(delta, base, reader);
  }

  private static void readAll(Delta delta, VersionView whole, ContainerReader reader)
      throws IOException {
    VersionView part = reader.changed(delta);
    assertThat(List.copyOf(part.datasets())).isEqualTo(List.copyOf(whole.datasets()));
    try (BlockReader one = new BlockReader(part);
        BlockReader other = new BlockReader(whole)) {
      delta.forEachChanged(
          (dataset, block) -> {
            assertThat(part.place(dataset, block)).isEqualTo(whole.place(dataset, block));
            DatasetEntry same = whole.find(dataset.name()).orElseThrow();
            assertThat(
                    MemorySegment.mismatch(
                        one.read(dataset, block),
                        0,
                        dataset.blockLength(block),
                        other.read(same, block),
                        0,
                        dataset.blockLength(block)))
                .isEqualTo(-1);
          });
    }
  }

  private static void gone(Delta delta, VersionView base, ContainerReader reader) {
    VersionView part = reader.gone(delta);
    delta.<RuntimeException>forEachGone(
        (dataset, block) ->
            assertThat(part.place(dataset, block)).isEqualTo(base.place(dataset, block)));
  }

  @SeededTest(seeds = 3)
  void aVersionOfTheSameNameWithOtherContentIsNoBase(Random random) throws IOException {
    SmallState state = new SmallState();
    try (Container container = TestRun.open(store, "a.cairn", 6)) {
      container.rememberDeltas();
      state.change(random);
      VersionInfo first = state.commit(container, TestRun.id(1, 1, 1));
      state.change(random);
      VersionId second = state.commit(container, TestRun.id(1, 2, 1)).id();
      assertThat(container.delta(first.id(), root(first), second)).isPresent();
      assertThat(container.delta(first.id(), Digest.NONE, second)).isEmpty();
      assertThat(container.delta(second, root(first), first.id())).isEmpty();
    }
  }

  @SeededTest(seeds = 3)
  void whoDoesNotAskForItRemembersNothing(Random random) throws IOException {
    SmallState state = new SmallState();
    try (Container container = TestRun.open(store, "a.cairn", 6)) {
      state.change(random);
      VersionInfo first = state.commit(container, TestRun.id(1, 1, 1));
      VersionInfo second = state.commit(container, TestRun.id(1, 2, 1));
      Optional<Delta> delta = container.delta(first.id(), root(first), second.id());
      assertThat(delta).isEmpty();
    }
  }
}
