// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Compression;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.cli.Cli;
import org.cairn.comm.Ranks;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.ForwardingStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who looks at a shared directory while a job flushes to it finds nothing wrong. */
@Timeout(180)
class LiveFlushTest {
  @TempDir Path temp;

  private final List<Cli.Result> seen = new ArrayList<>();

  /** Looks around in the middle of every write to a segment or a manifest. */
  private final class Watched extends ForwardingStore {
    Watched(Store store) {
      super(store);
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      StoreFile file = super.open(name, access);
      boolean written = name.startsWith("seg-") || name.startsWith("manifest-");
      return access == Access.READ || !written ? file : new WatchedFile(file);
    }
  }

  private final class WatchedFile extends ForwardingStore.ForwardingFile {
    WatchedFile(StoreFile file) {
      super(file);
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      look();
      long half = source.byteSize() / 2;
      super.write(position, source.asSlice(0, half));
      look();
      super.write(position + half, source.asSlice(half));
    }
  }

  private synchronized void look() {
    for (String command : List.of("ls", "verify")) {
      seen.add(Cli.run(command, temp.resolve("shared")));
    }
  }

  private void run(Store shared, int versions) {
    Options options =
        Options.defaults().tiers(Tiers.none().shared(shared, 1).patience(Duration.ofMinutes(1)));
    Ranks.run(
        2,
        rank -> "node" + rank,
        world -> {
          double[] u = new Random(world.rank()).doubles(Sample.DOUBLES).toArray();
          try (Checkpointer cairn = Checkpointer.open(temp.resolve("job"), world, options)) {
            cairn.protect("u", u);
            cairn.restart();
            for (int i = 0; i < versions; i++) {
              u[i]++;
              cairn.checkpoint().await(TierKind.SHARED);
            }
          }
        });
  }

  @Test
  void nothingIsWrongMeanwhile() throws IOException {
    run(DirectoryStore.shared(temp.resolve("shared")), 1);
    run(new Watched(DirectoryStore.shared(temp.resolve("shared"))), 1);
    assertThat(seen).hasSizeGreaterThan(4);
    for (Cli.Result result : seen) {
      assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    }
  }

  @Test
  void whatWasPublishedAndIsDamagedIsDamageAllTheSame() throws IOException {
    run(DirectoryStore.shared(temp.resolve("shared")), 2);
    try (Stream<Path> files = Files.list(temp.resolve("shared"))) {
      for (Path file : files.filter(one -> one.toString().contains("seg-")).toList()) {
        Files.write(file, new byte[100]);
      }
    }
    look();
    assertThat(seen).allMatch(result -> result.exitCode() == 1);
  }

  @Test
  void compressedSegmentsAreToldOf() throws IOException {
    Tiers tiers =
        Tiers.none()
            .shared(DirectoryStore.shared(temp.resolve("shared")), 1)
            .compression(Compression.small());
    Ranks.run(
        2,
        rank -> "node" + rank,
        world -> {
          double[] u = new double[Sample.DOUBLES];
          Arrays.setAll(u, i -> Math.floor(i / 10.0) + world.rank());
          try (Checkpointer cairn =
              Checkpointer.open(temp.resolve("job"), world, Options.defaults().tiers(tiers))) {
            cairn.protect("u", u);
            cairn.restart();
            cairn.checkpoint().await(TierKind.SHARED);
          }
        });
    Cli.Result shown = Cli.run("show", temp.resolve("job"), "--shared", temp.resolve("shared"));
    assertThat(shown.exitCode()).as(shown.err()).isZero();
    assertThat(shown.out())
        .contains("rank 0, shared, version 1.1: ", "times smaller: level 6 (small", "u_F64LE_1D ")
        .containsPattern(
            "Compression: level 6 \\(small: what is smallest at this level\\), \\d+ frames?")
        .contains("a restart of all ranks expands 1.00 times what it needs");
    assertThat(Cli.run("verify", temp.resolve("shared")).exitCode()).isZero();
  }
}
