// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.increments;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.DoubleCell;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.mesh.Lives.Life;
import org.cairn.mesh.weave.KernelFailedException;
import org.junit.jupiter.api.Test;

/**
 * Programs of which other libraries lose something: each is killed at many places, and ends with
 * the bits of a run that nobody disturbed.
 */
class LossesTest {
  private static final int STEPS = 12;

  private static List<Double> ends(Mesh mesh, Grid grid, Field... fields) {
    List<Double> all = new ArrayList<>();
    for (Field field : fields) {
      all.add(mesh.sum("all", grid.all(), reads(field), k -> field.at(k)));
      all.add(
          mesh.sum(
              "weighted", grid.all(), reads(field), (k, i, j) -> field.at(k) * (i * 31 + j * 7)));
    }
    return all;
  }

  private static void relax(Mesh mesh, Grid grid, Field from, Field to) {
    int e = grid.east();
    int n = grid.north();
    mesh.each(
        "relax",
        grid.cells(),
        reads(from, STAR),
        writes(to),
        k ->
            to.set(
                k,
                .3 * from.at(k - e)
                    + .2 * from.at(k + e)
                    + .3 * from.at(k - n)
                    + .1 * from.at(k + n)));
  }

  private static void copy(Mesh mesh, Range range, Field from, Field to) {
    mesh.each("copy", range, reads(from), writes(to), k -> to.set(k, from.at(k) + .125));
  }

  private static void rim(Mesh mesh, Grid grid, Field field) {
    mesh.each("rim", grid.all(), writes(field), (k, i, j) -> field.set(k, i * 1.5 - j * .25));
  }

  // ---------------------------------------------------------------- values that nobody writes
  // again

  private static List<Double> plate(Mesh mesh, Life life, boolean rimIsInitial) {
    Grid grid = mesh.grid("plate", 7, 9).halo(1);
    Field u = grid.field("u");
    Field v = grid.field("v");
    if (rimIsInitial) {
      rim(mesh, grid, u);
      mesh.ready();
    } else {
      mesh.each("zero", grid.all(), writes(u), k -> u.set(k, 0));
      mesh.ready();
      rim(mesh, grid, u);
    }
    for (int step = 0; step < STEPS; step++) {
      life.tick();
      relax(mesh, grid, u, v);
      life.tick();
      copy(mesh, grid.cells(), v, u);
    }
    return ends(mesh, grid, u, v);
  }

  /**
   * No loop has run in this life before the place, so that nothing but the restart can have made
   * what ranks have of each other stale.
   */
  private static List<Double> withoutInitialPhase(Mesh mesh, Life life) {
    Grid grid = mesh.grid("plate", 7, 9).halo(1);
    Field u = grid.field("u");
    Field v = grid.field("v");
    rim(mesh, grid, u);
    for (int step = 0; step < STEPS; step++) {
      life.tick();
      relax(mesh, grid, u, v);
      life.tick();
      copy(mesh, grid.cells(), v, u);
    }
    return ends(mesh, grid, u, v);
  }

  @Test
  void whatRanksHaveOfEachOtherAfterARestart() {
    List<Double> straight = Lives.undisturbed(LossesTest::withoutInitialPhase);
    for (int tick = STEPS; tick < STEPS + 6; tick++) {
      Lives lives = new Lives(LossesTest::withoutInitialPhase).with(Lives.often().place("relax"));
      lives.dieAt(1 + tick % 3, tick);
      assertThat(lives.end(2 + tick % 2)).as("killed at %d", tick).isEqualTo(straight);
    }
  }

  @Test
  void valuesAroundTheWrittenRangeThatTheInitialPhaseHasSet() {
    Lives.requireSame((mesh, life) -> plate(mesh, life, true), 2 * STEPS);
  }

  @Test
  void valuesAroundTheWrittenRangeThatWereSetLater() {
    Lives.requireSame((mesh, life) -> plate(mesh, life, false), 2 * STEPS);
  }

  /** Neither loop has a result: nothing but loops can tell that a checkpoint is due. */
  @Test
  void aProgramWithoutReductionsHasCheckpoints() {
    Lives lives = new Lives((mesh, life) -> plate(mesh, life, true));
    lives.dieAt(2 * STEPS - 1);

    assertThat(lives.versions()).isNotEmpty();
  }

  @Test
  void aShellThatIsReadMuchLater() {
    int seldom = 9;
    Lives.requireSame(
        (mesh, life) -> {
          Grid grid = mesh.grid("plate", 7, 9).halo(1);
          Field u = grid.field("u");
          Field v = grid.field("v");
          Field shell = grid.field("shell");
          rim(mesh, grid, u);
          mesh.ready();
          rim(mesh, grid, shell);
          for (int step = 0; step < 2 * STEPS; step++) {
            life.tick();
            relax(mesh, grid, u, v);
            copy(mesh, grid.cells(), v, u);
            copy(mesh, grid.cells(), u, shell);
            if (step % seldom == seldom - 1) {
              copy(mesh, grid.all(), shell, u);
            }
          }
          return ends(mesh, grid, u, shell);
        },
        2 * STEPS);
  }

  // ---------------------------------------------------------------- what a loop does

  /** It says first that it writes; it reads before all the same. */
  @Test
  void aFieldThatALoopReadsAndWrites() {
    Lives.requireSame(
        (mesh, life) -> {
          Grid grid = mesh.grid("plate", 7, 9).halo(1);
          Field u = grid.field("u");
          rim(mesh, grid, u);
          mesh.ready();
          int e = grid.east();
          int n = grid.north();
          for (int step = 0; step < STEPS; step++) {
            life.tick();
            mesh.each(
                "shift",
                grid.cells(),
                writes(u),
                reads(u, Stencil.of2D(0, 0, 1, 0, 0, 1)),
                k -> u.set(k, .5 * u.at(k + n) + .25 * u.at(k + e) + .125 * u.at(k)));
            life.tick();
            mesh.each("grow", grid.cells(), increments(u), k -> u.set(k, u.at(k) * 1.01 + .5));
          }
          return ends(mesh, grid, u);
        },
        2 * STEPS);
  }

  @Test
  void oneKernelOnDifferentFields() {
    Lives.requireSame(
        (mesh, life) -> {
          Grid grid = mesh.grid("plate", 7, 9).halo(1);
          Field[] three = {grid.field("a"), grid.field("b"), grid.field("c")};
          for (Field one : three) {
            rim(mesh, grid, one);
          }
          mesh.ready();
          for (int step = 0; step < STEPS; step++) {
            for (int n = 0; n < 3; n++) {
              life.tick();
              copy(mesh, grid.cells(), three[n], three[(n + 1 + step % 2) % 3]);
            }
          }
          return ends(mesh, grid, three);
        },
        3 * STEPS);
  }

  // ---------------------------------------------------------------- regions

  /** A step of three loops, in which a field is undecided for ever. */
  private static List<Double> undecided(Mesh mesh, Life life) {
    Grid grid = mesh.grid("plate", 7, 9).halo(1);
    Field u = grid.field("u");
    Field v = grid.field("v");
    Field kept = grid.field("kept");
    rim(mesh, grid, u);
    mesh.ready();
    rim(mesh, grid, kept);
    for (int step = 0; step < STEPS; step++) {
      life.tick();
      relax(mesh, grid, u, v);
      life.tick();
      copy(mesh, grid.cells(), v, u);
      life.tick();
      mesh.each("scale", grid.cells(), updates(u), k -> u.set(k, u.at(k) * .75));
    }
    return ends(mesh, grid, u, kept);
  }

  /**
   * Nothing is saved at the place, so that a version waits for a whole period: until then it is not
   * there, and the one before it is.
   */
  @Test
  void aCrashBetweenThePlaceAndTheCommit() {
    MeshOptions pinned = Lives.wrong().place("relax");
    List<Double> straight = Lives.undisturbed(LossesTest::undecided);
    List<Long> newest = new ArrayList<>();
    for (int tick = 24; tick < 29; tick++) { // tick 24 and 27 are before the loop that is the place
      Lives lives = new Lives(LossesTest::undecided).with(pinned);
      lives.dieAt(tick);
      newest.add(lives.versions().getFirst().id().sequence());
      assertThat(lives.end()).isEqualTo(straight);
    }
    assertThat(newest.subList(0, 4))
        .containsExactly(
            newest.getFirst(), newest.getFirst() + 1, newest.getFirst() + 1, newest.getFirst() + 1);
    assertThat(newest.getLast()).isEqualTo(newest.getFirst() + 2);
  }

  /** What the first phase works with is never touched again, and its place never comes again. */
  private static List<Double> twoPhases(Mesh mesh, Life life) {
    Grid grid = mesh.grid("plate", 7, 9).halo(1);
    Field u = grid.field("u");
    Field v = grid.field("v");
    Field w = grid.field("w");
    rim(mesh, grid, u);
    rim(mesh, grid, w);
    mesh.ready();
    for (int step = 0; step < STEPS; step++) {
      life.tick();
      relax(mesh, grid, u, v);
      copy(mesh, grid.cells(), v, u);
    }
    for (int step = 0; step < 4 * STEPS; step++) {
      life.tick();
      mesh.each("second", grid.cells(), updates(w), k -> w.set(k, w.at(k) * .75 + 1));
    }
    return ends(mesh, grid, u, v, w);
  }

  @Test
  void aRegionThatNothingEndsAnyMore() {
    Lives.requireSame(LossesTest::twoPhases, 5 * STEPS);
  }

  @Test
  void checkpointsGoOnWhereAnotherPhaseBegins() {
    Lives lives = new Lives(LossesTest::twoPhases).with(Lives.wrong());
    lives.dieAt(STEPS + 8);
    long before = lives.versions().getFirst().id().sequence();
    lives.dieAt(5 * STEPS - 1);

    assertThat(lives.versions().getFirst().id().sequence()).isGreaterThan(before + 2);
  }

  /** The program has no loops any more, and ends: the version that waits is committed. */
  @Test
  void aRegionThatIsOpenWhenTheProgramEnds() {
    AtomicBoolean wentOn = new AtomicBoolean();
    Lives.Program program =
        (mesh, life) -> {
          wentOn.set(life.wentOn());
          return undecided(mesh, life);
        };
    List<Double> straight = Lives.undisturbed(LossesTest::undecided);
    List<Long> newest = new ArrayList<>();
    for (int ranks : List.of(1, 2, 3)) {
      Lives lives = new Lives(program).with(Lives.wrong());
      assertThat(lives.end(ranks)).isEqualTo(straight);
      newest.add(lives.versions().getFirst().id().sequence());
      assertThat(lives.end(ranks)).isEqualTo(straight);
      assertThat(wentOn).isTrue();
    }
    assertThat(newest).containsOnly(newest.getFirst());
  }

  /** Nobody else comes to the end: what waits is dropped, and nobody waits for ever. */
  @Test
  void aRankThatFailsWithARegionOpen() {
    MeshOptions pinned = Lives.wrong().place("relax");
    Options soon = pinned.checkpoints().flushOnClose(Duration.ofMillis(20));
    List<Double> straight = Lives.undisturbed(LossesTest::undecided);
    for (int tick = 24; tick < 27; tick++) {
      Lives lives = new Lives(LossesTest::undecided).with(pinned.checkpoints(soon));

      lives.failAt(2, tick % 2, tick);

      assertThat(lives.end(2)).isEqualTo(straight);
    }
  }

  /**
   * Each loop is the place once, nothing of what it is predicted to need is saved there, and the
   * program dies at each loop of the two steps after.
   */
  @Test
  void mispredictionAtEveryLoop() {
    List<Double> straight = Lives.undisturbed(LossesTest::undecided);
    for (String place : List.of("relax", "copy", "scale")) {
      for (int tick = 18; tick < 24; tick++) {
        Lives lives = new Lives(LossesTest::undecided).with(Lives.wrong().place(place));
        lives.dieAt(tick);
        assertThat(lives.versions()).as("place %s", place).isNotEmpty();
        assertThat(lives.end(1 + tick % 2))
            .as("place %s, killed at %d", place, tick)
            .isEqualTo(straight);
      }
    }
  }

  // ---------------------------------------------------------------- here()

  @Test
  void whatIsChangedAfterHereIsSavedAsItWasThere() {
    Lives.requireSame(
        (mesh, life) -> {
          Grid grid = mesh.grid("plate", 7, 9).halo(1);
          Field u = grid.field("u");
          Field v = grid.field("v");
          rim(mesh, grid, u);
          mesh.ready();
          LongCell step = mesh.protect("step", 0L);
          var scale = mesh.protect("scale", 1.0);
          while (step.get() < STEPS) {
            mesh.here();
            step.increment();
            scale.set(scale.get() * .5 + step.get());
            double by = scale.get();
            life.tick();
            relax(mesh, grid, u, v);
            life.tick();
            mesh.each("scaled", grid.cells(), reads(v), writes(u), k -> u.set(k, v.at(k) * by));
          }
          List<Double> all = ends(mesh, grid, u);
          all.add(scale.get());
          return all;
        },
        2 * STEPS);
  }

  @Test
  void fourLives() {
    List<Double> straight = Lives.undisturbed(LossesTest::undecided);
    for (MeshOptions options : List.of(Lives.often(), Lives.wrong())) {
      Lives lives = new Lives(LossesTest::undecided).with(options);
      for (int tick : List.of(8, 15, 22, 33)) {
        lives.dieAt(tick);
      }
      assertThat(lives.end()).isEqualTo(straight);
    }
  }

  // ---------------------------------------------------------------- loops that throw

  /** A kernel throws once, the program catches it and goes on with another number. */
  private static List<Double> caught(Mesh mesh, Life life, boolean inInitialPhase, boolean here) {
    Grid grid = mesh.grid("g", 9, 7);
    Field u = grid.field("u");
    LongCell at = mesh.protect("at", 0L);
    DoubleCell by = mesh.protect("by", 1.0);
    mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, i - .5 * j));
    if (inInitialPhase) {
      add(mesh, grid, u, by, true);
    }
    mesh.ready();
    for (; at.get() < STEPS; at.increment()) {
      if (here) {
        mesh.here();
      }
      life.tick();
      add(mesh, grid, u, by, !inInitialPhase && at.get() == STEPS / 2);
      mesh.each("halve", grid.all(), updates(u), k -> u.set(k, u.at(k) * .5));
    }
    return List.of(mesh.sum("all", grid.all(), reads(u), k -> u.at(k)), by.get());
  }

  private static void add(Mesh mesh, Grid grid, Field u, DoubleCell by, boolean fails) {
    double now = by.get();
    try {
      mesh.each(
          "add",
          grid.all(),
          updates(u),
          (k, i, j) -> {
            if (fails && i == 4 && j == 3) {
              throw new ArithmeticException("no root");
            }
            u.set(k, u.at(k) + now);
          });
    } catch (KernelFailedException e) {
      by.set(now * 1.5);
    }
  }

  /** Loops are left out in a replay, and would not throw: nothing is saved after one that did. */
  @Test
  void aProgramThatCatchesWhatAKernelThrew() {
    for (boolean initial : List.of(false, true)) {
      for (boolean here : List.of(false, true)) {
        Lives.Program program = (mesh, life) -> caught(mesh, life, initial, here);
        List<Double> straight = Lives.undisturbed(program);
        for (int tick = STEPS / 2 - 1; tick < STEPS; tick += 2) {
          // How far a loop came that failed is the same on one thread only.
          Lives lives = new Lives(program).with(Lives.often().threads(1));
          lives.dieAt(tick);
          lives.dieAt(STEPS - 1);
          assertThat(lives.end())
              .as("initial %s, here %s, %d", initial, here, tick)
              .isEqualTo(straight);
        }
      }
    }
  }
}
