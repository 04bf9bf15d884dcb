// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.cairn.Compression;
import org.cairn.frame.TypedBytes;
import org.cairn.pack.PackReport;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Simulations give what they are asked for, and the same again. */
class GeneratedSetsTest {
  private static final int RANKS = 6;
  private static final int BYTES = 16 << 10;

  @TempDir Path first;
  @TempDir Path second;

  static List<String> names() {
    return List.copyOf(GeneratedSets.names());
  }

  private static List<CheckpointSet> write(String name, Path folder, long seed) throws IOException {
    return new GeneratedSets(folder).write(name, RANKS, BYTES, 2, seed);
  }

  @ParameterizedTest
  @MethodSource("names")
  void theSameSeedGivesTheSameBytesAndVersionsDiffer(String name) throws IOException {
    List<CheckpointSet> sets = write(name, first, 5);
    List<CheckpointSet> again = write(name, second, 5);

    assertThat(sets).hasSize(2);
    for (int version = 0; version < 2; version++) {
      assertThat(sets.get(version).concatenated()).isEqualTo(again.get(version).concatenated());
    }
    assertThat(sets.get(1).concatenated()).isNotEqualTo(sets.get(0).concatenated());
  }

  @ParameterizedTest
  @MethodSource("names")
  void eachRankHasAboutItsSizeAndAllOfItHasAType(String name) throws IOException {
    CheckpointSet set = write(name, first, 5).getFirst();

    assertThat(set.files()).hasSize(RANKS);
    for (Path file : set.files()) {
      assertThat(Files.size(file)).isBetween(BYTES / 2L, 2L * BYTES);
    }
    try (LoadedSet loaded = LoadedSet.of(set)) {
      assertThat(loaded.bytes()).isEqualTo(set.bytes());
      long typed =
          loaded.members().stream()
              .flatMap(List::stream)
              .filter(variable -> !variable.key().equals("rest"))
              .mapToLong(variable -> variable.bytes().byteSize())
              .sum();
      assertThat(typed).isGreaterThan(set.bytes() * 99 / 100);
    }
  }

  @SeededTest(seeds = 4)
  void anotherSeedGivesOtherBytes(long seed) throws IOException {
    for (String name : List.of("diffusion", "particles", "amr", "tables", "integers", "noise")) {
      assertThat(write(name, first, seed).getFirst().concatenated())
          .as(name)
          .isNotEqualTo(write(name, second, seed + 1).getFirst().concatenated());
    }
  }

  @Test
  void gridsOfAmrAreManySmallVariablesOfFewClasses() throws IOException {
    CheckpointSet set = new GeneratedSets(first).write("amr", 2, 256 << 10, 1, 7).getFirst();
    try (LoadedSet loaded = LoadedSet.of(set)) {
      assertThat(loaded.members().getFirst()).hasSizeGreaterThan(200);
      assertThat(loaded.members().getFirst().stream().map(TypedBytes::key).distinct()).hasSize(8);
    }
  }

  @Test
  void aPackCountsAllOfIt() throws IOException {
    CheckpointSet set = write("heat2d", first, 5).getFirst();
    PackReport report = set.pack(Compression.small(), second);

    assertThat(report.bytes()).isEqualTo(set.bytes());
    assertThat(report.stored()).isBetween(1L, set.bytes());
    assertThat(second).isEmptyDirectory();
  }
}
