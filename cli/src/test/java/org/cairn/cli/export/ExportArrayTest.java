// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Part;
import org.cairn.cli.Cli;
import org.cairn.comm.Ranks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arrays that are divided among ranks are written as one. */
class ExportArrayTest {
  private static final int RANKS = 3;
  private static final int COLUMNS = 5;

  @TempDir Path temp;
  private Path job;
  private Path file;

  /** Two rows each, and a row of a neighbour on either side that holds nothing of use. */
  @BeforeEach
  void save() {
    job = temp.resolve("job");
    file = temp.resolve("u.npy");
    Ranks.run(
        RANKS,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(job, comm)) {
            double[] u = new double[4 * COLUMNS];
            Arrays.setAll(
                u,
                i -> {
                  int row = i / COLUMNS;
                  return row == 0 || row == 3
                      ? Double.NaN
                      : 100 * (2 * comm.rank() + row - 1) + i % COLUMNS;
                });
            cairn
                .protect("u", u)
                .part(
                    Part.of(
                            new long[] {2 * RANKS, COLUMNS},
                            new long[] {2L * comm.rank(), 0},
                            new long[] {2, COLUMNS})
                        .halo(1, 0));
            cairn.protect("id", new long[] {comm.rank(), comm.rank()}).bag(1);
            cairn.protect("own", new int[] {comm.rank()});
            cairn.checkpoint();
          }
        });
  }

  private double[] doubles() throws IOException {
    Npy npy = Npy.read(file);
    double[] read = new double[npy.elements().remaining() / 8];
    npy.elements().asDoubleBuffer().get(read);
    return read;
  }

  @Test
  void theWholeArrayIsOneFile() throws IOException {
    Cli.Result result = Cli.run("export", job, "--dataset", "u", "--file", file);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(Npy.read(file).shape()).isEqualTo("(6, 5)");
    double[] expected = new double[6 * COLUMNS];
    Arrays.setAll(expected, i -> 100 * (i / COLUMNS) + i % COLUMNS);
    assertThat(doubles()).isEqualTo(expected);
    assertThat(result.out()).contains("u", "double", "240 B");
  }

  @Test
  void aSliceIsWhatNumPyWouldTake() throws IOException {
    assertThat(
            Cli.run("export", job, "--dataset", "u", "--slice", "1:-1,3", "--file", file)
                .exitCode())
        .isZero();
    assertThat(Npy.read(file).shape()).isEqualTo("(4,)");
    assertThat(doubles()).containsExactly(103, 203, 303, 403);
    assertThat(
            Cli.run("export", job, "--dataset", "u", "--slice", "-1", "--file", file, "--force")
                .exitCode())
        .isZero();
    assertThat(doubles()).containsExactly(500, 501, 502, 503, 504);
  }

  @Test
  void allThatRanksHaveTogetherIsExported() throws IOException {
    Path out = temp.resolve("out");
    assertThat(Cli.run("export", job, "--to", out).exitCode()).isZero();
    try (Stream<Path> files = Files.list(out)) {
      assertThat(files.map(one -> one.getFileName().toString()))
          .containsExactlyInAnyOrder("u.npy", "id.npy");
    }
    assertThat(Npy.read(out.resolve("id.npy")).elements().getLong(8 * 4)).isEqualTo(2);
  }

  @Test
  void whatCannotBeSaysWhy() throws IOException {
    assertThat(Cli.run("export", job, "--dataset", "own", "--file", file).err())
        .contains("have u, id together", "--rank");
    assertThat(Cli.run("export", job, "--dataset", "u", "--slice", "0:9", "--file", file).err())
        .contains("axis 0 of u: double[6][5] has elements 0 to 5");
    assertThat(Cli.run("export", job, "--dataset", "u", "--slice", "1,2,3", "--file", file).err())
        .contains("has 3 axes");
    assertThat(Cli.run("export", job, "--dataset", "u", "--slice", "x", "--file", file).err())
        .contains("\"x\" is no part of an axis");
    assertThat(
            Cli.run("export", job, "--rank", "1", "--dataset", "u", "--slice", "1", "--file", file)
                .err())
        .contains("not with --rank");
    assertThat(file).doesNotExist();
    Path lost = temp.resolve("lost");
    Files.move(job.resolve("rank1"), lost);
    Cli.Result result = Cli.run("export", job, "--dataset", "u", "--file", file);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("[0, 2] are here");
    assertThat(file).doesNotExist();
  }

  @Test
  void oneRankIsExportedAsItIs() throws IOException {
    assertThat(Cli.run("export", job, "--rank", "1", "--dataset", "u", "--file", file).exitCode())
        .isZero();
    assertThat(Npy.read(file).shape()).isEqualTo("(4, 5)");
  }

  @Test
  void showTellsHowArraysAreDivided() {
    Cli.Result result = Cli.run("show", job);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .contains(
            "Array u of version 1.1: double[6][5], 240 B, in 3 parts",
            "rank 1  [2:4, 0:5]",
            "Array id of version 1.1: long[6]");
    assertThat(Cli.run("show", "--json", job).out()).contains("\"part\" : \"[2:4, 0:5]\"");
  }
}
