// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import java.nio.file.Path;
import java.time.Duration;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.weave.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is saved at here() is what the last call of it says. */
class HereTest {
  @TempDir Path folder;

  private Mesh open() {
    MeshOptions options =
        MeshOptions.of(Options.defaults().every(Duration.ofDays(1)))
            .threads(1)
            .hooks(new MeshOptions.Hooks(true, 1, 4));
    return Mesh.open(folder, new SoloCommunicator(), options);
  }

  /** Steps once with a list and once without; gives the values of both fields. */
  private double[] step(Mesh mesh, boolean goesOn) {
    Grid grid = mesh.grid("g", 8, 8);
    Field u = grid.field("u");
    Field v = grid.field("v");
    LongCell step = mesh.protect("step", 0L);
    mesh.each(
        "start",
        grid.all(),
        writes(u, v),
        k -> {
          u.set(k, 1);
          v.set(k, 1);
        });
    mesh.ready();
    while (step.get() < 2) {
      mesh.checkpoint();
      if (step.get() == 0 && !goesOn) {
        mesh.here(u);
      } else {
        mesh.here();
      }
      mesh.each(
          "twice",
          grid.all(),
          updates(u, v),
          k -> {
            u.set(k, 2 * u.at(k));
            v.set(k, 2 * v.at(k));
          });
      step.increment();
      if (step.get() == 2 && !goesOn) {
        mesh.abandon();
        return new double[0];
      }
    }
    return new double[] {mesh.fetch(u, 3, 3), mesh.fetch(v, 3, 3)};
  }

  @Test
  void aListCountsForItsOwnCall() {
    step(open(), false);
    try (Mesh mesh = open()) {
      assertThat(step(mesh, true)).containsExactly(4, 4);
    }
  }

  /** A restart would run them again, or set them too late: told now, not after a crash. */
  @Test
  void whatComesTooLateIsRefusedAtOnce() {
    try (Mesh mesh = open()) {
      Grid grid = mesh.grid("g", 4, 4);
      Field u = grid.field("u");
      mesh.each("start", grid.all(), writes(u), k -> u.set(k, 1));
      mesh.here();
      assertThatThrownBy(mesh::ready).hasMessageContaining("ready() comes after here()");
      assertThatThrownBy(() -> mesh.protect("late", 1L))
          .hasMessageContaining("protect it before the first here()");
    }
  }

  @Test
  void twoPlacesAreTold() {
    try (Mesh mesh = open();
        LogLines log = new LogLines(Mesh.class.getName())) {
      Grid grid = mesh.grid("g", 4, 4);
      Field u = grid.field("u");
      mesh.each("start", grid.all(), writes(u), k -> u.set(k, 1));
      for (int step = 0; step < 4; step++) {
        mesh.here();
      }
      assertThat(log.with("two places")).isEmpty();
      mesh.here();
      mesh.here();
      assertThat(log.with("two places")).singleElement().asString().contains("HereTest");
    }
  }

  @Test
  void aProgramThatComesNoMoreToHereIsRefused() {
    step(open(), false);
    assertThatThrownBy(
            () -> {
              try (Mesh mesh = open()) {
                assertThat(mesh.replaying()).isTrue();
              }
            })
        .isInstanceOf(ProgramChangedException.class)
        .hasMessageContaining("without having called here()");
  }
}
