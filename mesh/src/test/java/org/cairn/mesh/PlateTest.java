// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.cairn.Options;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the README: a plate, killed and started again, ends with the same bits. */
class PlateTest {
  @TempDir Path folder;

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Runs the program; gives up after some steps, if told. */
  private static double[] run(Path folder, Communicator ranks, MeshOptions options, int killedAt) {
    try (Mesh mesh = Mesh.open(folder, ranks, options)) {
      boolean goesOn = mesh.replaying();
      Grid grid = mesh.grid("plate", 24, 17).halo(1);
      Field u = grid.field("u");
      Field v = grid.field("v");
      int e = grid.east();
      int n = grid.north();
      mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, j < 0 ? 100 : i * .5));
      mesh.ready();
      int steps = 0;
      for (double change = 1; change > .05; steps++) {
        if (steps == killedAt) {
          throw new Killed();
        }
        mesh.each(
            "relax",
            grid.cells(),
            reads(u, STAR),
            writes(v),
            k -> v.set(k, .25 * (u.at(k - e) + u.at(k + e) + u.at(k - n) + u.at(k + n))));
        change = mesh.max("change", grid.cells(), reads(u, v), k -> Math.abs(v.at(k) - u.at(k)));
        mesh.each("copy", grid.cells(), reads(v), writes(u), k -> u.set(k, v.at(k)));
      }
      double sum = mesh.sum("sum", grid.cells(), reads(u), k -> u.at(k));
      double order = mesh.sum("order", grid.cells().inOrder(), reads(u), k -> u.at(k));
      return new double[] {steps, sum, order, goesOn ? 1 : 0};
    }
  }

  private static MeshOptions often() {
    return MeshOptions.of(Options.defaults().every(Duration.ofNanos(1)))
        .threads(1)
        .hooks(new MeshOptions.Hooks(true, 1, 4));
  }

  @Test
  void endsAlikeAfterBeingKilled() {
    double[] straight = run(folder.resolve("a"), new SoloCommunicator(), often(), -1);
    assertThat(straight[0]).isGreaterThan(95);
    for (int killedAt : List.of(2, 30, 31, 90)) {
      try {
        run(folder.resolve("b"), new SoloCommunicator(), often(), killedAt);
      } catch (Killed e) {
        continue;
      }
    }
    double[] last = run(folder.resolve("b"), new SoloCommunicator(), often(), -1);
    assertThat(last).startsWith(straight[0], straight[1], straight[2]).endsWith(1); // it went on
  }

  @Test
  void endsAlikeOnAnyNumberOfRanks() {
    double[] straight = run(folder.resolve("a"), new SoloCommunicator(), often(), -1);
    int killedAt = 10;
    for (int ranks : List.of(1, 3, 2, 4)) {
      int at = killedAt += 20;
      try {
        Ranks.run(ranks, comm -> run(folder.resolve("b"), comm, often(), at));
      } catch (RuntimeException e) {
        assertThat(e).hasRootCauseInstanceOf(Killed.class);
      }
    }
    Ranks.run(
        3,
        comm ->
            assertThat(run(folder.resolve("b"), comm, often(), -1))
                .startsWith(straight[0], straight[1], straight[2])
                .endsWith(1));
  }
}
