// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.Tiers;
import org.cairn.cli.Cli;
import org.cairn.comm.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What another number of ranks has left takes room: it is told, and can be removed. */
class OldWorldTest {
  @TempDir Path job;

  private void run(int ranks, Tiers tiers) {
    Options options = Options.defaults().retain(2).threads(1).tiers(tiers);
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          double[] u = new double[12 / ranks];
          try (Checkpointer cairn = Checkpointer.open(job, comm, options)) {
            cairn
                .protect("u", u)
                .part(
                    Part.of(
                        new long[] {12},
                        new long[] {(long) comm.rank() * u.length},
                        new long[] {u.length}));
            cairn.restart();
            u[0]++;
            cairn.checkpoint();
          }
        });
  }

  private List<Path> containers() throws IOException {
    try (Stream<Path> files = Files.walk(job)) {
      return files.filter(file -> file.toString().endsWith(".cairn")).toList();
    }
  }

  @Test
  void itsBytesAreToldAndPruningRemovesItsFiles() throws IOException {
    run(3, Tiers.none().partner(1));
    assertThat(Cli.run("show", job).out()).doesNotContain("another number");
    long bytes = 0;
    List<Path> old = containers();
    for (Path file : old) {
      bytes += Files.size(file);
    }
    run(2, Tiers.none()); // which has no partners: nothing of the old goes by itself
    run(2, Tiers.none());
    Cli.Result shown = Cli.run("show", job);
    assertThat(shown.out())
        .contains("Of another number of ranks (3): ", "in 6 files", "prune --versions");
    assertThat(Cli.run("show", "--json", job).json().get("oldWorld").get("bytes").asLong())
        .isEqualTo(bytes);
    Cli.Result pruned = Cli.run("prune", "--versions", "--leftovers", job);
    assertThat(pruned.exitCode()).as(pruned.err()).isZero();
    assertThat(containers()).hasSize(2).doesNotContainAnyElementsOf(old);
    assertThat(Cli.run("show", job).out()).doesNotContain("another number");
    assertThat(Cli.run("verify", job).exitCode()).isZero();
  }

  /** The new number has nothing yet, so what there is stays. */
  @Test
  void whatWouldBeRestoredIsNotCalledOld() throws IOException {
    run(3, Tiers.none().partner(1));
    Ranks.run(
        2,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(job, comm)) {
            assertThat(cairn).isNotNull();
          }
        });
    assertThat(Cli.run("show", job).out()).doesNotContain("another number");
    int before = containers().size();
    assertThat(Cli.run("prune", "--versions", "--leftovers", job).exitCode()).isZero();
    assertThat(containers()).hasSize(before);
  }
}
