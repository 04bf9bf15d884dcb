// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Checkpoints;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.Tiers;
import org.cairn.cli.Cli;
import org.cairn.cli.Damage;
import org.cairn.comm.Ranks;
import org.cairn.store.DirectoryStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Blocks that are damaged where they are to be read are had from any tier, and it is said. */
@Timeout(120)
class DetoursTest {
  private static final int ROWS = 24;
  private static final int COLUMNS = 32;

  @TempDir Path temp;
  private Path job;
  private Path shared;
  private Path file;

  @BeforeEach
  void name() {
    job = temp.resolve("job");
    shared = temp.resolve("shared");
    file = temp.resolve("u.raw");
  }

  private void save(int ranks, Tiers tiers) {
    Options options = Options.defaults().blockSize(512).tiers(tiers);
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(job, comm, options)) {
            int first = ROWS * comm.rank() / ranks;
            int rows = ROWS * (comm.rank() + 1) / ranks - first;
            double[] u = new double[rows * COLUMNS];
            Arrays.setAll(u, i -> value(first * COLUMNS + i));
            cairn
                .protect("u", u)
                .part(
                    Part.of(
                        new long[] {ROWS, COLUMNS},
                        new long[] {first, 0},
                        new long[] {rows, COLUMNS}));
            Checkpoint taken = cairn.checkpoint();
            taken.tiers().forEach(taken::await);
          }
        });
  }

  private static double value(int element) {
    return element + 0.5;
  }

  private void spoil(String name, int element) throws IOException {
    Path container = job.resolve(name);
    byte[] bytes = Files.readAllBytes(container);
    ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    while (all.getDouble(at) != value(element)) {
      at++;
    }
    Damage.flip(container, at);
  }

  /** Damaged in three blocks of two ranks. */
  private void spoil() throws IOException {
    spoil("rank1/rank1.cairn", ROWS * COLUMNS / 4 + 70);
    spoil("rank1/rank1.cairn", ROWS * COLUMNS / 4 + 150);
    spoil("rank2/rank2.cairn", ROWS * COLUMNS / 2 + 3);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(job)) {
      return all.sorted().toList();
    }
  }

  private Cli.Result export(Object... more) {
    List<Object> all = new ArrayList<>(List.of("export", job, "--dataset", "u", "--file", file));
    all.addAll(List.of(more));
    return Cli.run(all.toArray());
  }

  private void assertWhole(Cli.Result result, String... told) throws IOException {
    assertThat(result.exitCode()).as(result.err()).isZero();
    for (String words : told) {
      assertThat(result.err()).contains(words);
    }
    double[] found = new double[ROWS * COLUMNS];
    ByteBuffer.wrap(Files.readAllBytes(file))
        .order(ByteOrder.LITTLE_ENDIAN)
        .asDoubleBuffer()
        .get(found);
    double[] expected = new double[ROWS * COLUMNS];
    Arrays.setAll(expected, DetoursTest::value);
    assertThat(found).isEqualTo(expected);
  }

  @Test
  void copiesStandIn() throws IOException {
    save(4, Tiers.none().partner(1));
    spoil();
    List<Path> before = files();
    assertWhole(
        export(),
        "cairn export: block 1 of \"u\"",
        "rank1/rank1.cairn, offset",
        "block 2 of \"u\"",
        "rank2/rank2.cairn",
        "; taken from " + job,
        "cairn scrub heals");
    assertThat(files()).isEqualTo(before);
    assertThat(Cli.run("verify", job).exitCode()).isEqualTo(1);
    Cli.Result convert = Cli.run("convert", job, "--ranks", 3, "--to", temp.resolve("three"));
    assertThat(convert.exitCode()).as(convert.err()).isZero();
    assertThat(convert.err()).contains("cairn convert: block 1 of \"u\"", "taken from");
    try (Checkpoints three = Checkpoints.open(temp.resolve("three"))) {
      double[] u = three.newest().array("u").doubles();
      assertThat(u[ROWS * COLUMNS / 2 + 3]).isEqualTo(value(ROWS * COLUMNS / 2 + 3));
    }
    Path own = temp.resolve("own.raw");
    Cli.Result rank = Cli.run("export", job, "--rank", 2, "--dataset", "u", "--file", own);
    assertThat(rank.exitCode()).as(rank.err()).isZero();
    assertThat(rank.err()).contains("block 0 of \"u\"", "taken from");
  }

  @Test
  void whatIsNotWantedIsNotToldAndNothingIsWhereNothingIsDamaged() throws IOException {
    save(4, Tiers.none().partner(1));
    assertThat(export().err()).doesNotContain("taken from");
    spoil();
    Cli.Result result = export("--slice", "0:2", "--force");
    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).doesNotContain("taken from");
  }

  @Test
  void theSharedDirectoryStandsIn() throws IOException {
    save(4, Tiers.none().shared(DirectoryStore.shared(shared), 1));
    spoil();
    Cli.Result alone = export();
    assertThat(alone.exitCode()).isEqualTo(1);
    assertThat(alone.err()).contains("block 1 of \"u\"");
    assertThat(file).doesNotExist();
    assertWhole(export("--shared", shared), "; taken from the shared directory");
    Files.delete(job.resolve("rank3/rank3.cairn"));
    assertWhole(export("--shared", shared, "--force"), "; taken from the shared directory");
  }

  @Test
  void parityStandsInForBlocksMapsAndWholeRanks() throws IOException {
    save(4, Tiers.none().erasure(1).group(4, 1));
    spoil("rank1/rank1.cairn", ROWS * COLUMNS / 4 + 70);
    spoil("rank1/rank1.cairn", ROWS * COLUMNS / 4 + 150);
    assertWhole(export(), "block 1 of \"u\"", "; taken from parity");
    assertThat(Cli.run("show", job, "--stats").err()).contains("cairn show: block 1 of \"u\"");
    Files.delete(job.resolve("rank1/rank1.cairn"));
    assertWhole(export("--force"));
    Files.delete(job.resolve("rank2/rank2.cairn"));
    assertThat(export("--force").err()).contains("[0, 3] are here");
  }
}
