// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.cairn.Checkpointer;
import org.cairn.Compression;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;
import org.cairn.store.DirectoryStore;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Segments of frames that were written once are read by every release to come. Each of two ranks
 * has a small field of its own and a larger one, and both the same table; the second version has a
 * part of them changed.
 */
class FramedGoldenTest {
  private static final Path GOLDEN = Path.of("../core/src/test/resources/golden/segment-frames-v2");
  private static final int RANKS = 2;

  private static double field(int rank, int i, long version) {
    return Math.floor(1000 * Math.sin(0.01 * i + rank)) / 8 + (version > 1 && i < 100 ? 1 : 0);
  }

  private static void fill(int rank, long version, double[] large, double[] small, int[] table) {
    for (int i = 0; i < large.length; i++) {
      large[i] = field(rank, i, version);
    }
    for (int i = 0; i < small.length; i++) {
      small[i] = field(rank + 2, i, version);
    }
    for (int i = 0; i < table.length; i++) {
      table[i] = i * i;
    }
  }

  @Test
  void theyAreRead() throws IOException {
    DirectoryStore shared = DirectoryStore.open(GOLDEN, false);
    List<Manifest> versions = new SharedDirectory(shared).list().versions();
    assertThat(versions).hasSize(2);
    for (Manifest manifest : versions) {
      assertThat(SharedCheck.verify(shared, manifest.version(), (_, _, _, _) -> {}).damages())
          .isEmpty();
      for (int rank = 0; rank < RANKS; rank++) {
        verify(shared, manifest, rank);
      }
    }
    Manifest first = versions.getLast();
    MemberIndex borrower = SharedJob.index(shared, first.version(), 1);
    assertThat(borrower.runs())
        .as("the table lies there for the other rank")
        .anyMatch(run -> run.codec() == SegmentFormat.BORROWED);
    FrameUse use = FrameUse.of(shared, first.version()).orElseThrow();
    assertThat(use.frames()).isGreaterThan(2);
    assertThat(use.live()).isEqualTo(use.plain());
  }

  private static boolean isSound(SharedCheck.Result result) {
    return result.damaged() == 0;
  }

  /** What is found without decoding is what is found with it. */
  @Test
  void checksumsOfFramesTellWhatBlocksTell() throws IOException {
    DirectoryStore golden = DirectoryStore.open(GOLDEN, false);
    MemoryStore shared = new MemoryStore();
    for (String name : golden.list()) {
      SegmentTest.put(shared, name, SegmentTest.contents(golden, name));
    }
    VersionId last = new SharedDirectory(shared).list().versions().getFirst().version();
    int found = 0;
    for (String name : golden.list().stream().filter(name -> name.contains("seg-")).toList()) {
      byte[] whole = SegmentTest.contents(golden, name);
      for (int at = 0; at < whole.length; at += 31) {
        byte[] damaged = whole.clone();
        damaged[at] ^= 4;
        SegmentTest.put(shared, name, damaged);
        assertThat(outcome(() -> SharedCheck.verifyStored(shared, last, (_, _, _, _) -> {})))
            .as("byte %d of %s", at, name)
            .isEqualTo(outcome(() -> SharedCheck.verify(shared, last, (_, _, _, _) -> {})));
        found += outcome(() -> SharedCheck.verifyStored(shared, last, (_, _, _, _) -> {})) ? 0 : 1;
      }
      SegmentTest.put(shared, name, whole);
    }
    assertThat(found).isGreaterThan(20);
  }

  private static boolean outcome(Callable<SharedCheck.Result> check) {
    try {
      return isSound(check.call());
    } catch (Exception e) {
      return false;
    }
  }

  private static void verify(DirectoryStore shared, Manifest manifest, int rank)
      throws IOException {
    double[] large = new double[3000];
    double[] small = new double[100];
    int[] table = new int[700];
    fill(rank, manifest.version().sequence(), large, small, table);
    try (SegmentSource source = SegmentSource.open(shared, manifest.version(), rank)) {
      assertThat(Values.doubles(source, "large")).isEqualTo(large);
      assertThat(Values.doubles(source, "small")).isEqualTo(small);
      assertThat(Values.ints(source, "table")).isEqualTo(table);
    }
  }

  /** {@code -Dcairn.golden=DIR} writes them; those in use are never written again. */
  @Test
  @EnabledIfSystemProperty(named = "cairn.golden", matches = ".+")
  void write() throws IOException {
    Path target = Path.of(System.getProperty("cairn.golden"));
    Files.createDirectories(target);
    Tiers tiers =
        Tiers.none()
            .shared(DirectoryStore.open(target, true), 1)
            .sharedGroup(2)
            .compression(Compression.small())
            .frame(16 << 10);
    MemoryDirectories directories = new MemoryDirectories();
    Ranks.run(
        RANKS,
        rank -> "node" + rank,
        comm -> {
          Options options = Options.defaults().blockSize(512).threads(1).tiers(tiers);
          double[] large = new double[3000];
          double[] small = new double[100];
          int[] table = new int[700];
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            cairn.protect("large", large);
            cairn.protect("small", small);
            cairn.protect("table", table);
            cairn.restart();
            for (int version = 1; version <= 2; version++) {
              fill(comm.rank(), version, large, small, table);
              cairn.checkpoint().await(TierKind.SHARED);
            }
          }
        });
  }
}
