// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Checkpoints;
import org.cairn.Label;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.SavedVersion;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.container.ContainerReader;
import org.cairn.store.DirectoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person says of a version goes where the version goes, and what is kept stays. */
@Tag("slow")
class KeptTest {
  private static final Options OPTIONS = Options.defaults().blockSize(128).threads(1).retain(2);

  @TempDir Path directory;

  private static double[] state(int number) {
    double[] u = new double[400];
    Random random = Seeds.content(number);
    for (int i = 0; i < u.length; i++) {
      // Some of it stays from state to state, some comes back.
      u[i] = i < 100 ? i : random.nextInt(3) == 0 ? number : i % 7;
    }
    return u;
  }

  private static void become(double[] u, int number) {
    System.arraycopy(state(number), 0, u, 0, u.length);
  }

  @Test
  void aLabelAndANoteAreReadAgain() {
    try (Checkpointer cairn = Checkpointer.open(directory, OPTIONS)) {
      cairn.protect("u", state(1));
      cairn.checkpoint(Label.of("spin-up done").note("before\nthe wind"));
      cairn.checkpoint();
    }
    try (Checkpoints saved = Checkpoints.open(directory)) {
      SavedVersion found = saved.labelled("spin-up done");
      assertThat(found.id().sequence()).isEqualTo(1);
      assertThat(found.label().note()).isEqualTo("before\nthe wind");
      assertThat(found.label().kept()).isFalse();
      assertThat(saved.newest().label()).isEqualTo(Label.none());
      assertThatThrownBy(() -> saved.labelled("other")).hasMessageContaining("no version labelled");
    }
  }

  @Test
  void labelsThatNoFileOrLineCanHoldAreRefused() {
    assertThatThrownBy(() -> Label.of("x".repeat(129))).hasMessageContaining("it can have 128");
    assertThatThrownBy(() -> Label.of("a\nb")).hasMessageContaining("one line");
    assertThatThrownBy(() -> Label.of("\ud800")).hasMessageContaining("Unicode");
    assertThatThrownBy(() -> Label.of("").note("x".repeat(1025))).hasMessageContaining("1024");
    Label longest = Label.of("x".repeat(128)).note("y".repeat(1024)).keep();
    assertThat(Label.of(longest.toFields())).isEqualTo(longest);
  }

  @Test
  void whatIsKeptOutlivesRetentionAndRestarts() {
    double[] u = state(1);
    try (Checkpointer cairn = Checkpointer.open(directory, OPTIONS)) {
      cairn.protect("u", u);
      cairn.checkpoint(Label.of("first").keep());
      for (int i = 2; i < 10; i++) {
        become(u, i);
        cairn.checkpoint();
      }
      assertThat(cairn.versions()).hasSize(3);
    }
    for (int run = 0; run < 3; run++) {
      try (Checkpointer cairn = Checkpointer.open(directory, OPTIONS)) {
        cairn.protect("u", u);
        cairn.restart();
        become(u, 20 + run);
        cairn.checkpoint();
      }
    }
    try (Checkpoints saved = Checkpoints.open(directory)) {
      assertThat(saved.labelled("first").read("u").doubles()).containsExactly(state(1));
      assertThat(saved.newest().read("u").doubles()).containsExactly(state(22));
    }
  }

  @Test
  void aKeptVersionCanBeRestored() {
    double[] u = state(1);
    try (Checkpointer cairn = Checkpointer.open(directory, OPTIONS)) {
      cairn.protect("u", u);
      cairn.checkpoint(Label.of("first").keep());
      for (int i = 2; i < 6; i++) {
        become(u, i);
        cairn.checkpoint();
      }
      cairn.restart(RestartRequest.newest().version("1.1"));
      assertThat(u).containsExactly(state(1));
    }
  }

  @Test
  void whatIsKeptAsideIsCountedOnce() {
    double[] u = new double[8192];
    Arrays.fill(u, 1);
    long bytes = 8L * u.length;
    try (Checkpointer cairn = Checkpointer.open(directory, OPTIONS)) {
      cairn.protect("u", u);
      cairn.checkpoint();
      Arrays.fill(u, 2);
      cairn.checkpoint(Label.of("aside").keep());
      cairn.restart(RestartRequest.newest().version("1.1"));
      u[0] = 3;
      cairn.checkpoint();
      // The first and the last version share nearly all; each block counts once.
      assertThat(cairn.versions()).hasSize(3);
      assertThat(cairn.usage().liveBytes()).isBetween(2 * bytes, 5 * bytes / 2);
    }
    try (Checkpoints saved = Checkpoints.open(directory)) {
      assertThat(saved.labelled("aside").read("u").doubles()).containsOnly(2);
    }
  }

  /** Versions are kept, dropped, gone back to and left aside, and each is what it was. */
  @SeededTest(seeds = 12)
  void anyHistoryLeavesWhatIsKeptAsItWas(Random random) throws IOException {
    Path place = Files.createDirectory(directory.resolve("h" + random.nextLong()));
    Map<String, Integer> kept = new HashMap<>();
    double[] u = state(0);
    int number = 0;
    int newest = 0;
    for (int run = 0; run < 4; run++) {
      try (Checkpointer cairn = Checkpointer.open(place, OPTIONS)) {
        cairn.protect("u", u);
        RestartRequest request = RestartRequest.newest();
        if (run > 0 && random.nextBoolean()) {
          List<VersionInfo> there = cairn.versions();
          String chosen = there.get(random.nextInt(there.size())).id().exact();
          request = request.version(chosen);
        }
        RestartReport report = cairn.restart(request);
        if (report.isRestored() && request.version().isEmpty()) {
          assertThat(u).containsExactly(state(newest));
        }
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
          become(u, ++number);
          newest = number;
          if (random.nextInt(3) == 0) {
            cairn.checkpoint(Label.of("k" + number).keep());
            kept.put("k" + number, number);
          } else {
            cairn.checkpoint();
          }
        }
      }
      try (Checkpoints saved = Checkpoints.open(place)) {
        assertThat(saved.newest().read("u").doubles()).containsExactly(state(newest));
        for (String label : kept.keySet()) {
          assertThat(saved.labelled(label).read("u").doubles())
              .as(label)
              .containsExactly(state(kept.get(label)));
        }
      }
    }
  }

  // ---------------------------------------------------------------- tiers

  private static double[] state(Communicator comm, int number) {
    return new double[] {comm.rank(), number};
  }

  private void takeMany(Options options) {
    Ranks.run(
        4,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directory.resolve("local"), comm, options)) {
            double[] u = state(comm, 0);
            cairn.protect("u", u);
            cairn.restart();
            // Ranks differ in what they say; the first one counts.
            cairn.checkpoint(
                comm.rank() == 0 ? Label.of("first").keep() : Label.of("rank " + comm.rank()));
            for (int i = 1; i < 12; i++) {
              u[1] = i;
              cairn.checkpoint().await(TierKind.PARTNER).await(TierKind.ERASURE);
            }
          }
        });
  }

  private List<String> kept(String files) throws IOException {
    try (Stream<Path> all = Files.walk(directory.resolve("local"))) {
      return all.filter(file -> file.getFileName().toString().matches(files))
          .map(KeptTest::firstLabel)
          .toList();
    }
  }

  private static String firstLabel(Path file) {
    try (ContainerReader reader =
        ContainerReader.open(
            DirectoryStore.open(file.getParent(), false), file.getFileName().toString())) {
      return reader.versions().getLast().label().toString();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void everyTierKeepsWhatTheFirstRankWantsKept() throws IOException {
    Path shared = Files.createDirectory(directory.resolve("shared"));
    takeMany(
        OPTIONS.tiers(
            Tiers.none()
                .partner(3)
                .erasure(4)
                .group(4, 1)
                .shared(DirectoryStore.shared(shared), 5)));
    String label = "\"first\", kept";
    assertThat(kept("rank\\d\\.cairn")).hasSize(4).containsOnly(label);
    assertThat(kept("rank\\d\\.partner\\.cairn")).hasSize(4).containsOnly(label);
    assertThat(kept("rank\\d\\.parity\\.cairn")).hasSize(4).containsOnly(label);
    try (Checkpoints saved = Checkpoints.open(shared)) {
      SavedVersion found = saved.labelled("first");
      assertThat(found.label().kept()).isTrue();
      assertThat(found.rank(3).read("u").doubles()).containsExactly(3, 0);
    }
    // A rank that lost everything has it from parity or its partner, whatever is newer.
    try (Stream<Path> files = Files.list(directory.resolve("local/rank2"))) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Ranks.run(
        4,
        comm -> {
          Options options = OPTIONS.tiers(Tiers.none().partner(3).erasure(4).group(4, 1));
          try (Checkpointer cairn = Checkpointer.open(directory.resolve("local"), comm, options)) {
            double[] u = new double[2];
            cairn.protect("u", u);
            cairn.restart(RestartRequest.newest().version("1.1"));
            assertThat(u).containsExactly(comm.rank(), 0);
          }
        });
  }

  @Test
  void theCollectorLeavesWhatIsKeptAlsoWhereItsManifestIsLost() throws IOException {
    Path shared = Files.createDirectory(directory.resolve("shared"));
    Options options = OPTIONS.tiers(Tiers.none().shared(DirectoryStore.shared(shared), 1));
    double[] u = state(1);
    try (Checkpointer cairn = Checkpointer.open(directory.resolve("local"), options)) {
      cairn.protect("u", u);
      cairn.checkpoint(Label.of("first").keep()).await(TierKind.SHARED);
      try (Stream<Path> files = Files.list(shared)) {
        for (Path file : files.filter(one -> one.toString().contains("manifest")).toList()) {
          Files.delete(file);
        }
      }
      for (int i = 2; i < 8; i++) {
        become(u, i);
        cairn.checkpoint().await(TierKind.SHARED);
      }
    }
    try (Checkpoints saved = Checkpoints.open(shared)) {
      assertThat(saved.labelled("first").read("u").doubles()).containsExactly(state(1));
      assertThat(saved.versions()).hasSizeLessThan(5);
      assertThat(Arrays.stream(saved.newest().read("u").doubles()).sum())
          .isEqualTo(Arrays.stream(state(7)).sum());
    }
  }
}
