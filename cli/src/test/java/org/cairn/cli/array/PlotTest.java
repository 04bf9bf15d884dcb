// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.function.IntToDoubleFunction;
import org.cairn.Checkpointer;
import org.cairn.Part;
import org.cairn.cli.Cli;
import org.cairn.cli.terminal.Colours;
import org.cairn.comm.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlotTest {
  @TempDir Path job;

  /** Two ranks, each with half of the first axis. */
  private void save(IntToDoubleFunction element, long... shape) {
    Ranks.run(
        2,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(job, comm)) {
            long[] from = new long[shape.length];
            long[] extent = shape.clone();
            extent[0] /= 2;
            from[0] = comm.rank() * extent[0];
            long size = 1;
            for (long one : extent) {
              size *= one;
            }
            double[] u = new double[(int) size];
            for (int i = 0; i < u.length; i++) {
              u[i] = element.applyAsDouble((int) (comm.rank() * size + i));
            }
            cairn.protect("u", u).part(Part.of(shape, from, extent));
            cairn.checkpoint();
          }
        });
  }

  @Test
  void aFieldIsShadedAndDivided() {
    save(i -> i == 5 ? Double.NaN : i, 4, 10);
    Cli.Result result = Cli.run("show", "--plot", job);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .isEqualTo(
            """
            Version 1.1

            u: double[4][10], [:, :], all elements
                .?..::
            ::----====
            ++++****##
            ##%%%%@@@@
            From 0.0 (' ') to 39.0 ('@'); 1 not finite: '?'.
            Whose it is:
            0000000000
            0000000000
            1111111111
            1111111111
            """);
  }

  @Test
  void coloursShowTwoRowsInALine() {
    save(i -> i, 4, 3);
    String out = Cli.run(Colours.ALL, "show", "--plot", job).out();
    assertThat(out).contains("\u001B[38;2;68;1;84;48;2;", "(dark blue)", "(yellow)");
    assertThat(out.lines().filter(line -> line.contains("▀"))).hasSize(2);
    assertThat(out.lines().filter(line -> line.contains("▀")))
        .allMatch(line -> line.endsWith("\u001B[0m"));
  }

  @Test
  void oneAxisIsACurve() {
    save(i -> i == 7 ? Double.NaN : i % 2, 8);
    String out = Cli.run("show", "--plot", job).out();
    assertThat(out)
        .contains("\n * * *\n", "\n* * * *?\n", "From 0.0 (below) to 1.0 (above)", "\n00001111\n");
  }

  @Test
  void ofThreeAxesThereIsThePlaneInTheMiddleOrTheOneThatIsAskedFor() {
    save(i -> i / 6, 6, 2, 3);
    assertThat(Cli.run("show", "--plot", job).out())
        .contains("u: double[6][2][3], [3, :, :], all elements", "From 3.0 ", "\n111\n");
    assertThat(Cli.run("show", "--plot", "--dataset", "u", "--slice", "1,:,1:", job).out())
        .contains("[1, :, 1:3]", "From 1.0 ", "\n00\n");
    assertThat(Cli.run("show", "--plot", "--slice", "1,1,1", job).err())
        .contains("there is nothing to draw");
  }

  /** Of a large field there is no more than fits, and every element that is drawn is its own. */
  @Test
  void aLargeFieldIsDrawnOfSomeElements() {
    save(i -> i / 500, 300, 500);
    Cli.Result result = Cli.run("show", "--plot", "--json", job);
    assertThat(result.exitCode()).as(result.err()).isZero();
    var drawn = result.json().get(0);
    int down = drawn.get("distances").get(0).asInt();
    assertThat(down).isGreaterThan(10);
    var rows = drawn.get("values");
    assertThat(rows.size()).isBetween(8, 20).isEqualTo(Math.ceilDiv(300, down));
    for (int y = 0; y < rows.size(); y++) {
      assertThat(rows.get(y).size()).isBetween(8, 80);
      assertThat(rows.get(y).get(1).asDouble()).isEqualTo((double) y * down);
    }
  }

  @Test
  void whatCannotBeSaysWhy() {
    save(i -> i, 4, 0);
    assertThat(Cli.run("show", "--plot", job).out()).contains("has no arrays to be drawn");
    assertThat(Cli.run("show", "--slice", "1", job).err()).contains("add --plot");
    assertThat(Cli.run("show", "--plot", "--dataset", "v", job).err()).contains("no array v");
    assertThat(Cli.run("show", "--plot", "--rank", "0", job).err())
        .contains("--plot is of arrays of all ranks");
    assertThat(
            Cli.run("export", job, "--dataset", "u", "--slice", ":,0", "--file", job.resolve("x"))
                .err())
        .contains("axis 1 of u: double[4][0] has no elements");
  }

  /** An array without elements is in no other's way. */
  @Test
  void ofAnEmptyArrayItIsToldAndOthersAreDrawn() {
    try (Checkpointer cairn = Checkpointer.open(job)) {
      long[] none = {0, 0};
      cairn.protect("zero", new int[0]).part(Part.of(new long[] {0, 5}, none, new long[] {0, 5}));
      cairn.protect("u", new int[6]).part(Part.of(new long[] {2, 3}, none, new long[] {2, 3}));
      cairn.checkpoint();
    }
    Cli.Result both = Cli.run("show", "--plot", "--dataset", "zero", "--dataset", "u", job);
    assertThat(both.exitCode()).isZero();
    assertThat(both.out()).contains("u: int[2][3], [:, :], all elements").doesNotContain("zero");
    assertThat(both.err())
        .isEqualTo("cairn show: there is nothing to draw of zero (int[0][5]): no elements\n");
    Cli.Result alone = Cli.run("show", "--plot", "--dataset", "zero", job);
    assertThat(alone.exitCode()).isNotZero();
    assertThat(alone.err()).contains("there is nothing to draw of zero (int[0][5]): no elements");
    Path png = job.resolveSibling("zero.png");
    Cli.Result picture = Cli.run("export", job, "--dataset", "zero", "--png", png);
    assertThat(picture.exitCode()).isNotZero();
    assertThat(picture.err()).contains("there is nothing to draw: zero has shape [0, 5]");
    assertThat(png).doesNotExist();
  }
}
