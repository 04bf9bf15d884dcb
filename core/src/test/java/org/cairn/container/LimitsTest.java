// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.cairn.HashAlgorithm;
import org.cairn.record.Digest;
import org.cairn.store.DirectoryStore;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.Lineage;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionFormat;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a reader would refuse is not written: whoever asks for it is told, and nothing is lost. How
 * readers refuse it, with little memory, is in {@code HostileContainerTest}.
 */
@Timeout(600)
class LimitsTest {
  private static final String NAME = "a.cairn";

  private final MemoryStore store = new MemoryStore();
  private final SmallState state = new SmallState();

  @Tag("slow")
  @Test
  void versions(@TempDir Path directory) throws IOException {
    HostileContainers.write(
        directory.resolve(NAME),
        Objects.requireNonNull(HostileContainers.all().get("4096 versions")));
    state.change(Seeds.content(1));
    try (Container container =
        TestRun.open(
            DirectoryStore.open(directory, true), NAME, versions -> Set.copyOf(versions))) {
      assertFails(container, 5000, "4097 versions", "retain fewer");
      assertThat(container.versions()).hasSize(4096);
      container.dropAllBut(Set.of(container.versions().getFirst().id()));
      state.commit(container, TestRun.id(1, 6000, 1));
      assertThat(container.versions()).hasSize(2);
    }
  }

  @Test
  void datasets() throws IOException {
    try (Container container = TestRun.open(store, NAME, 2)) {
      SmallState.Content empty = new SmallState.Content(new byte[0], 128, HashAlgorithm.XXH3_128);
      for (int i = 0; i < VersionFormat.MAX_DATASETS; i++) {
        state.datasets.put("d" + i, empty);
      }
      Commit commit = state.begin(container, TestRun.id(1, 1, 1));
      assertThatThrownBy(() -> commit.plan(empty.spec("one more")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("131072 datasets");
      commit.publish();
    }
  }

  @Test
  void theSizeOfTheCatalog() throws IOException {
    try (Container container = TestRun.open(store, NAME, 2)) {
      goesOn(container, 1);
      for (int i = 0; i < 300; i++) {
        state.datasets.put(
            "x".repeat(65_000) + i,
            new SmallState.Content(new byte[0], 128, HashAlgorithm.XXH3_128));
      }
      assertFails(container, 2, "16777216", "the list of datasets");
      state.datasets.clear();
      goesOn(container, 3);
      assertThatThrownBy(
              () ->
                  new SmallState.Content(new byte[0], 128, HashAlgorithm.XXH3_128)
                      .spec("x".repeat(65_537)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("65537 bytes");
    }
  }

  @Test
  void theSizeOfTheRoot() throws IOException {
    List<VersionId> behind = new ArrayList<>();
    for (int i = 0; i < RunInfo.MAX_LEFT_BEHIND; i++) {
      behind.add(TestRun.id(1, i + 1, 1));
    }
    RunInfo run =
        RunInfo.of(
            new RunId(7), Instant.EPOCH, 1, Optional.empty(), false, behind, Optional.empty());
    Lineage lineage = TestRun.lineage(1);
    Lineage small = new Lineage(lineage.job(), "", List.of(run), List.of());
    Lineage large = new Lineage(lineage.job(), "", Collections.nCopies(500, run), List.of());
    try (Container container = TestRun.open(store, NAME, 2)) {
      goesOn(container, 1);
      long before = container.usage().fileBytes();
      assertThatThrownBy(() -> container.enter(large))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("8388608", "the list of versions");
      assertThat(container.usage().fileBytes()).isEqualTo(before);
      container.enter(small);
      goesOn(container, 2);
    }
    try (Container container = TestRun.open(store, NAME, 2)) {
      assertThat(container.ownership().lineage()).isEqualTo(small);
    }
  }

  @Test
  void versionsLeftBehind() {
    List<VersionId> behind = Collections.nCopies(1001, TestRun.id(1, 1, 1));
    assertThatThrownBy(
            () ->
                RunInfo.of(
                    new RunId(7),
                    Instant.EPOCH,
                    1,
                    Optional.empty(),
                    false,
                    behind,
                    Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leaves 1001 versions behind");
  }

  @Test
  void filesLeftBehind() {
    List<Digest> files = Collections.nCopies(1001, new Digest(1, 2));
    RunInfo run = TestRun.lineage(1).run();
    assertThat(run.leavingFiles(files.subList(0, 1000)).leftFiles()).hasSize(1000);
    assertThatThrownBy(() -> run.leavingFiles(files))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leaves 1001 files of other releases behind");
  }

  private void goesOn(Container container, int sequence) throws IOException {
    state.change(Seeds.content(sequence));
    VersionInfo made = state.commit(container, TestRun.id(1, sequence, 1));
    assertThat(SmallState.read(container.view(made))).isEqualTo(state);
  }

  private void assertFails(Container container, int sequence, String... words) throws IOException {
    List<VersionInfo> before = container.versions();
    Commit commit = state.begin(container, TestRun.id(1, sequence, 1));
    assertThatThrownBy(commit::publish)
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(words);
    commit.abort();
    assertThat(container.isBroken()).isFalse();
    assertThat(container.versions()).isEqualTo(before);
  }
}
