// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import java.util.List;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Lives.Life;
import org.cairn.mesh.kernel.Point;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What cannot be is refused in a sentence. */
class RefusalTest {
  private final MemoryDirectories disk = new MemoryDirectories();
  private final Mesh mesh = Mesh.open(disk, new SoloCommunicator(), Lives.often());

  @AfterEach
  void close() {
    mesh.close();
  }

  @Test
  void aRangeThatLeavesTheGrid() {
    Grid grid = mesh.grid("plate", 4, 5).halo(1);

    assertThatThrownBy(() -> grid.range(-2, 4, 0, 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "range [-2:4, 0:5] is not within \"plate\", which has [-1:6, -1:7] with its halo of 1");
    assertThatThrownBy(() -> grid.range(3, 2, 0, 5))
        .hasMessageContaining("a range of \"plate\" cannot end before it begins");
    assertThatThrownBy(() -> grid.range(0, 4)).hasMessageContaining("has 2 axes, and the range 1");
    Field u = grid.field("u");
    Field v = grid.field("v");
    assertThatThrownBy(() -> mesh.each("far", grid.all(), reads(u, STAR), writes(v), k -> {}))
        .hasMessageContaining("loop \"far\" reads \"u\" at offset")
        .hasMessageContaining("beyond the halo of 1");
    assertThatThrownBy(() -> mesh.fetch(u, 1)).hasMessageContaining("has 2 indices, not 1");
  }

  @Test
  void twoOfOneName() {
    Grid grid = mesh.grid("plate", 4, 5);
    grid.field("u");

    assertThatThrownBy(() -> grid.floats("u"))
        .hasMessage("grid \"plate\" has a field \"u\" already");
    assertThatThrownBy(() -> mesh.grid("plate", 3)).hasMessage("there is a grid \"plate\" already");
  }

  @Test
  void fieldsOfAnotherMesh() {
    Grid grid = mesh.grid("plate", 4, 5);
    grid.field("u");
    try (Mesh other = Mesh.open(new MemoryDirectories(), new SoloCommunicator(), Lives.often())) {
      Grid elsewhere = other.grid("plate", 4, 5);
      Field u = elsewhere.field("u");
      Field v = elsewhere.field("v");

      assertThatThrownBy(() -> mesh.each("own", elsewhere.cells(), writes(u), k -> u.set(k, 1)))
          .hasMessage("loop \"own\" writes \"u\", which is a field of another mesh");
      assertThatThrownBy(() -> mesh.each("own", elsewhere.cells(), writes(v), k -> v.set(k, 1)))
          .hasMessage("loop \"own\" writes \"v\", which is a field of another mesh");
    }
  }

  @Test
  void fieldsOfAnotherMeshThatAreToBeSavedOrJoined() {
    Grid grid = mesh.grid("plate", 4, 5);
    grid.field("u");
    try (Mesh other = Mesh.open(new MemoryDirectories(), new SoloCommunicator(), Lives.often())) {
      Field u = other.grid("plate", 4, 5).field("u");

      assertThatThrownBy(() -> mesh.here(u))
          .hasMessage("here() is to save \"u\", which is a field of another mesh");
      assertThatThrownBy(() -> mesh.saves(u))
          .hasMessage("saves() is to save \"u\", which is a field of another mesh");
      Grid elsewhere = other.grid("elsewhere", 4, 5);
      Field v = elsewhere.field("v");
      assertThatThrownBy(() -> mesh.join(elsewhere.cells(), elsewhere.cells()).copy(v, v))
          .hasMessageContaining("copies \"v\", which is a field of another mesh");
    }
  }

  @Test
  void namesThatNoReportCouldShow() {
    Grid grid = mesh.grid("plate", 4, 5);
    Field u = grid.field("u");

    assertThatThrownBy(() -> mesh.grid("pl\tate", 4))
        .hasMessage("the name of a grid has tabs, ends of lines or the like in it: \"pl?ate\"");
    assertThatThrownBy(() -> grid.field("u\nv")).hasMessageContaining("name of a field");
    assertThatThrownBy(() -> mesh.protect("\0", 1)).hasMessageContaining("name of a number");
    assertThatThrownBy(() -> mesh.each("a\tb", grid.cells(), writes(u), k -> u.set(k, 1)))
        .hasMessageContaining("name of a loop");
    assertThatThrownBy(() -> mesh.each("n".repeat(1001), grid.cells(), writes(u), k -> u.set(k, 1)))
        .hasMessageContaining("the name of a loop has 1,001 characters, and may have 1,000: nnn");
  }

  @Test
  void gridsOfMorePointsThanCanBeCounted() {
    assertThatThrownBy(() -> mesh.grid("wide", Integer.MAX_VALUE, 2).field("u"))
        .hasMessageContaining("grid \"wide\" of 2147483647x2 points with a halo of 1 is too large");
    assertThatThrownBy(() -> mesh.grid("around", 2).halo(Integer.MAX_VALUE).field("u"))
        .hasMessageContaining("an axis has 2,147,483,647 points at most");
    assertThatThrownBy(() -> mesh.grid("deep", 1 << 30, 1 << 30, 1 << 30).field("u"))
        .hasMessageContaining("grid \"deep\" of 1073741824x1073741824x1073741824 points");
    assertThatThrownBy(() -> mesh.grid("array", 50_000, 50_000).field("u"))
        .hasMessageContaining("points of one rank do not fit into an array; use more ranks");
  }

  /** A replay leaves kernels out: what they were given, or did to the mesh, would be missing. */
  @Test
  void callsOfTheMeshInALoop() {
    Grid grid = mesh.grid("plate", 4, 5);
    Field u = grid.field("u");
    requireMisplaced("record()", grid, u, k -> mesh.record(() -> 1L));
    requireMisplaced("recordHere()", grid, u, k -> mesh.recordHere(() -> 1L));
    requireMisplaced("here()", grid, u, k -> mesh.here());
    requireMisplaced("ready()", grid, u, k -> mesh.ready());
    requireMisplaced("saves()", grid, u, k -> mesh.saves(u));
    requireMisplaced("checkpoint()", grid, u, k -> mesh.checkpoint());
    requireMisplaced("loop \"fetch u\"", grid, u, k -> mesh.fetch(u, 0, 0));
    requireMisplaced("grid \"other\"", grid, u, k -> mesh.grid("other", 4));
    requireMisplaced("field \"other\"", grid, u, k -> grid.field("other"));
    mesh.close();
    assertThatThrownBy(() -> mesh.record(() -> 1L))
        .hasMessageContaining("record() is called after its mesh was closed");
  }

  private void requireMisplaced(String call, Grid grid, Field u, Point kernel) {
    assertThatThrownBy(() -> mesh.each("outer", grid.cells(), writes(u), kernel))
        .hasRootCauseMessage(
            call
                + " is called by a kernel, while its loop runs: call it before or after that loop");
  }

  @Test
  void aLoopInALoop() {
    Grid grid = mesh.grid("plate", 4, 5);
    Field u = grid.field("u");
    Field v = grid.field("v");

    assertThatThrownBy(
            () ->
                mesh.each(
                    "outer",
                    grid.cells(),
                    writes(u),
                    k -> mesh.each("inner", grid.cells(), writes(v), p -> v.set(p, 1))))
        .hasRootCauseMessage(
            "loop \"inner\" is called by a kernel, while its loop runs: call it before or after that loop");
    mesh.each("inner", grid.cells(), writes(v), p -> v.set(p, 1)); // and goes on
  }

  @Test
  void aLoopAfterTheEnd() {
    Grid grid = mesh.grid("plate", 4, 5);
    Field u = grid.field("u");
    mesh.close();

    assertThatThrownBy(() -> mesh.each("late", grid.cells(), writes(u), k -> u.set(k, 1)))
        .hasMessageContaining("loop \"late\" is called after its mesh was closed");
  }

  @Test
  void theEndOfTheInitialPhaseTwice() {
    mesh.ready();

    assertThatThrownBy(mesh::ready)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ready() was called before");
  }

  @Test
  void hereWithoutFields() {
    assertThatThrownBy(mesh::here).hasMessageContaining("here() comes before the first field");
  }

  @Test
  void moreRanksThanRows() {
    assertThatThrownBy(
            () ->
                Ranks.run(
                    3,
                    comm -> {
                      try (Mesh wide = Mesh.open(new MemoryDirectories(), comm, Lives.often())) {
                        wide.grid("strip", 600, 2).field("u");
                      }
                    }))
        .hasStackTraceContaining("grid \"strip\" of 600x2 points has too few rows for 3 ranks");
  }

  @Test
  void checkpointsOfAProgramWithoutAMesh() {
    MemoryDirectories others = new MemoryDirectories();
    try (Checkpointer cairn =
        Checkpointer.open(others, new SoloCommunicator(), Options.defaults())) {
      cairn.protect("x", new double[4]);
      cairn.checkpoint();
    }
    assertThatThrownBy(() -> Mesh.open(others, new SoloCommunicator(), Lives.often()))
        .hasMessageContaining("of a program that is no mesh; give this one another directory");
    try (Checkpointer cairn =
        Checkpointer.open(others, new SoloCommunicator(), Options.defaults())) {
      assertThat(cairn.versions()).as("it can be used again").hasSize(1);
    }
  }

  // ---------------------------------------------------------------- another program

  /** What may be changed between two lives. */
  private record Version(
      int rows, int steps, String name, boolean swapped, int swapFrom, boolean ready) {
    static final Version SAVED = new Version(8, 12, "grow", false, 99, true);

    Version rows(int count) {
      return new Version(count, steps, name, swapped, swapFrom, ready);
    }

    Version steps(int count) {
      return new Version(rows, count, name, swapped, swapFrom, ready);
    }

    Version named(String loop) {
      return new Version(rows, steps, loop, swapped, swapFrom, ready);
    }

    Version swappedFrom(int step) {
      return new Version(rows, steps, name, true, step, ready);
    }

    Version notReady() {
      return new Version(rows, steps, name, swapped, swapFrom, false);
    }

    List<Double> run(Mesh mesh, Life life) {
      Grid grid = mesh.grid("plate", 5, rows);
      Field u = grid.field("u");
      mesh.each("start", grid.all(), writes(u), k -> u.set(k, 1));
      if (ready) {
        mesh.ready();
      }
      for (int step = 0; step < steps; step++) {
        life.tick();
        if (swapped && step >= swapFrom) {
          halve(mesh, grid, u);
          grow(mesh, grid, u);
        } else {
          grow(mesh, grid, u);
          halve(mesh, grid, u);
        }
      }
      return steps == 3
          ? List.of() // ends at once
          : List.of(mesh.sum("sum", grid.all(), reads(u), k -> u.at(k)));
    }

    private void grow(Mesh mesh, Grid grid, Field u) {
      mesh.each(name, grid.cells(), updates(u), k -> u.set(k, u.at(k) + 3));
    }

    private static void halve(Mesh mesh, Grid grid, Field u) {
      mesh.each("halve", grid.cells(), updates(u), k -> u.set(k, u.at(k) * .5));
    }
  }

  /** The program is killed, and something else is started where it was saved. */
  private static void requireRefused(Version changed, String... sentence) {
    requireRefused(Version.SAVED, 10, changed, sentence);
  }

  private static void requireRefused(
      Version before, int killedAt, Version changed, String... sentence) {
    MemoryDirectories saved = new MemoryDirectories();
    new Lives(before::run, saved).dieAt(killedAt);
    assertThatThrownBy(() -> new Lives(changed::run, saved).end())
        .isInstanceOf(ProgramChangedException.class)
        .hasMessageContainingAll(sentence);
    assertThat(new Lives(before::run, saved).end())
        .as("what was saved stays")
        .isEqualTo(Lives.undisturbed(before::run));
  }

  @Test
  void anotherSize() {
    requireRefused(
        Version.SAVED.rows(9),
        "grid \"plate\" is 5x9 with a halo of 1, and the one that was saved is 5x8");
  }

  @Test
  void aChangedLoop() {
    requireRefused(
        Version.SAVED.named("swell"),
        "after 1 calls comes the loop \"swell\"",
        "in the program that was saved it was \"grow\"");
  }

  @Test
  void anotherOrderOfLoops() {
    requireRefused(Version.SAVED.swappedFrom(0), "comes the loop \"halve\"", "it was \"grow\"");
    requireRefused(Version.SAVED.swappedFrom(2), "are not those of the program that was saved");
  }

  /** All loops are known by then: only digests tell that they come in another order. */
  @Test
  void anotherOrderOfLoopsMuchLater() {
    Version saved = Version.SAVED.steps(400);
    requireRefused(
        saved,
        350,
        saved.swappedFrom(200),
        "calls 257 to 512 are not those of the program that was saved",
        "they begin with the loop \"halve\"",
        "and end with \"halve\"");
  }

  @Test
  void fewerSteps() {
    requireRefused(
        Version.SAVED.steps(6),
        "after 13 calls the program has a loop \"sum\"",
        "that the one which was saved did not have");
    requireRefused(
        Version.SAVED.steps(3), "the program ends after 7 loops", "what was saved had come to");
  }

  @Test
  void anotherInitialPhase() {
    requireRefused(
        Version.SAVED.notReady(),
        "ready() was called not yet, and in the program that was saved after 1 loops");
  }
}
