// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static java.lang.Double.NaN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Lives.Life;
import org.cairn.mesh.weave.LogLines;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;

/** A program that says which fields are saved at its place, without here(): it is believed. */
class ListedTest {
  private static final int STEPS = 16;

  /** Needs its sum before "add", and computes the rest; both are written in each step. */
  private static List<Double> program(Mesh mesh, Life life, boolean lists, boolean truly) {
    Grid grid = mesh.grid("g", 9, 7);
    Field part = grid.field("part");
    Field sum = grid.field("sum");
    mesh.each("start", grid.all(), writes(sum), (k, i, j) -> sum.set(k, i - 2.5 * j));
    mesh.ready();
    if (lists) {
      mesh.saves(truly ? sum : part);
    }
    for (int step = 0; step < STEPS; step++) {
      double now = mesh.max("greatest", grid.all(), reads(sum), k -> sum.at(k)) + step;
      life.tick();
      mesh.each("part", grid.all(), writes(part), (k, i, j) -> part.set(k, now * .25 + i));
      life.tick();
      mesh.each(
          "add",
          grid.all(),
          reads(part),
          updates(sum),
          k -> sum.set(k, sum.at(k) * .5 + part.at(k)));
    }
    return List.of(mesh.sum("all", grid.all(), reads(sum), k -> sum.at(k)));
  }

  private final AtomicReference<String> report = new AtomicReference<>("");

  private Lives lives(boolean truly, MeshOptions options) {
    Lives.Program program =
        (mesh, life) -> {
          List<Double> end = program(mesh, life, true, truly);
          report.set(mesh.report());
          return end;
        };
    return new Lives(program).with(options.place("part"));
  }

  @Test
  void whatIsListedIsSavedAndTheProgramIsReplayed() {
    List<Double> straight = Lives.undisturbed((mesh, life) -> program(mesh, life, false, true));
    for (int tick = 12; tick < 18; tick++) {
      // Predictions that are thrown away change nothing: none is asked for.
      Lives lives = lives(true, tick % 2 == 0 ? Lives.often() : Lives.wrong());
      lives.dieAt(1 + tick % 2, tick);
      lives.dieAt(tick + 9);
      assertThat(lives.end(2)).isEqualTo(straight);
      assertThat(report.get())
          .contains("before \"part\"", "the program says which fields are saved")
          .containsPattern("field\tg/part\t0\t.*not listed")
          .containsPattern("field\tg/sum\t[1-9].*\tlisted");
    }
  }

  @Test
  void whoListsTooLittleIsBelieved() {
    // On a machine that is busy a life may end before its first version: then nothing is missing.
    assertThat(IntStream.of(16, 20, 24, 28, 30).mapToDouble(this::endWithTooLittle)).contains(NaN);
  }

  private double endWithTooLittle(int tick) {
    Lives lives = lives(false, Lives.often());
    lives.dieAt(tick);
    return lives.end().getFirst();
  }

  /** A name that was mistyped: nothing is lost, but it is no place of less to save. */
  @Test
  void aPlaceThatNeverComesIsToldOnce() {
    try (LogLines log = new LogLines(Mesh.class.getName());
        Mesh mesh =
            Mesh.open(
                new MemoryDirectories(), new SoloCommunicator(), Lives.often().place("parts"))) {
      Grid grid = mesh.grid("g", 9, 7);
      Field u = grid.field("u");
      for (int step = 0; step < 3000; step++) {
        mesh.each("part", grid.all(), writes(u), k -> u.set(k, 1));
      }
      assertThat(mesh.stats().checkpoints()).isPositive();
      assertThat(log.with("were to be taken before the loop"))
          .singleElement()
          .asString()
          .contains("\"parts\" (MeshOptions.place), and no loop has that name so far");
    }
  }

  @Test
  void aListWithoutAPlaceIsRefused() {
    Lives lives = new Lives((mesh, life) -> program(mesh, life, true, true));

    assertThatThrownBy(lives::end)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("MeshOptions.place(");
  }
}
