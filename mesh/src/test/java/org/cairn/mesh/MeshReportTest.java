// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.cairn.Checkpointer;
import org.cairn.Checkpoints;
import org.cairn.Options;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A version says where it was taken, what is in it, and how long a restart would replay. */
class MeshReportTest {
  private static final int NX = 12;
  private static final int NY = 9;
  private static final int STEPS = 40;

  @TempDir Path folder;

  private void run(Communicator ranks, int steps) {
    run(ranks, steps, 1);
  }

  private void run(Communicator ranks, int steps, double predicted) {
    MeshOptions options =
        MeshOptions.of(Options.defaults().every(Duration.ofNanos(1)))
            .threads(1)
            .hooks(new MeshOptions.Hooks(true, predicted, 4));
    try (Mesh mesh = Mesh.open(folder, ranks, options)) {
      Grid grid = mesh.grid("plate", NX, NY).halo(2).coordinates(Axis.X, 10, .5);
      Field u = grid.field("u");
      Field v = grid.field("v", At.NODES);
      int e = grid.east();
      int n = grid.north();
      mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, j < 0 ? 100 : i * .5));
      mesh.ready();
      for (int step = 0; step < steps; step++) {
        mesh.time(step, step * .25);
        mesh.each(
            "relax",
            grid.cells(),
            reads(u, STAR),
            writes(v),
            k -> v.set(k, .25 * (u.at(k - e) + u.at(k + e) + u.at(k - n) + u.at(k + n))));
        mesh.max("change", grid.cells(), reads(u, v), k -> Math.abs(v.at(k) - u.at(k)));
        mesh.each("copy", grid.cells(), reads(v), writes(u), k -> u.set(k, v.at(k)));
      }
    }
  }

  private MeshReport newest() {
    try (Checkpoints saved = Checkpoints.open(folder)) {
      return MeshReport.of(saved.newest());
    }
  }

  @Test
  void saysWhatIsSavedAndWhy() {
    run(new SoloCommunicator(), STEPS);
    MeshReport report = newest();
    assertThat(report.place()).isEqualTo("before \"relax\", after \"copy\"");
    assertThat(report.why()).isEqualTo("least to be saved");
    assertThat(report.distance()).isEqualTo(3);
    assertThat(report.loops()).isEqualTo(4);
    assertThat(report.ranks()).isEqualTo(1);
    assertThat(report.calls() % 3).isEqualTo(1);
    assertThat(report.step().getAsLong()).isEqualTo((report.calls() - 1) / 3);
    assertThat(report.time().getAsDouble()).isEqualTo(report.step().getAsLong() * .25);
    long points = (NX + 5) * (NY + 5);
    MeshReport.OfField u = report.fields().getFirst();
    assertThat(u)
        .isEqualTo(
            new MeshReport.OfField(
                "plate/u",
                "double",
                NX * NY,
                points,
                1,
                false,
                8 * NX * NY,
                0,
                "live: read first by relax"));
    assertThat(report.fields().get(1).reason()).isEqualTo("dead: overwritten first by relax");
    assertThat(report.totalBytes()).isEqualTo(2 * 8 * points);
    assertThat(report.neededBytes()).isEqualTo(8 * NX * NY);
    assertThat(report.savedBytes()).isEqualTo(8 * NX * NY);
    assertThat(report.lateBytes()).isZero();
    assertThat(report.recordBytes()).isEqualTo((report.calls() - 1) / 3 * 9);
    assertThat(report.runnersUp())
        .extracting(MeshReport.RunnerUp::place)
        .contains("before \"copy\", after \"change\"");
  }

  @Test
  void whatWasSavedLateIsPartOfTheField() {
    run(new SoloCommunicator(), STEPS, 0);
    try (Checkpoints saved = Checkpoints.open(folder)) {
      MeshReport report = MeshReport.of(saved.newest());
      assertThat(report.savedBytes()).isZero();
      assertThat(report.lateBytes()).isEqualTo(8 * NX * NY);
      FieldArray.Elements inner = report.array("plate/u").orElseThrow().inner();
      assertThat(report.array("plate/u").orElseThrow().missing(inner)).isZero();
      double[] values = saved.newest().array("plate/u").slice(inner.from(), inner.to()).doubles();
      assertThat(values).hasSize(NX * NY).doesNotContain(0);
    }
  }

  @Test
  void timeOfAReplayIsGuessedWhereOnlyAShortOneWasSeen() {
    run(new SoloCommunicator(), STEPS);
    MeshReport.Replayed guessed = newest().replay();
    assertThat(guessed.isMeasured()).isFalse();
    assertThat(guessed.nanosPerCall()).isGreaterThanOrEqualTo(100);
    run(new SoloCommunicator(), 2 * STEPS);
    MeshReport.Replayed again = newest().replay();
    assertThat(again.isMeasured()).isFalse();
    assertThat(again.seconds()).isPositive();
    assertThat(again.calls()).isGreaterThan(guessed.calls());
  }

  /** Beginning takes its time, too: of few calls it is nearly all. */
  @Test
  void timeOfALongReplayIsMeasured() {
    ReplayTime few = new ReplayTime();
    few.ready(10);
    few.arrived(13);
    assertThat(few.pace()).extracting(ReplayTime.Pace::isMeasured).isEqualTo(false);
    assertThat(few.pace().nanosPerCall()).isEqualTo(100);

    ReplayTime many = new ReplayTime();
    many.ready(10);
    many.arrived(100_010);
    assertThat(many.pace().isMeasured()).isTrue();
    assertThat(many.pace().nanosPerCall()).isPositive();
  }

  @Test
  void aLongReplayIsToldWithItsRemedy() {
    ReplayTime.Pace pace = new ReplayTime.Pace(1_000_000_000, 100, false);
    assertThat(pace.warning(580_000_000)).isEmpty();
    assertThat(pace.warning(600_000_000).orElseThrow())
        .contains("600,000,000 calls", "about 61 s", "mesh.here()");
  }

  @Test
  void elementsAreWhereTheGridIs() {
    Ranks.run(3, comm -> run(comm, STEPS));
    FieldArray u = newest().array("plate/u").orElseThrow();
    assertThat(u.at()).isEqualTo(At.CELLS);
    assertThat(u.inner().from()).containsExactly(2, 2);
    assertThat(u.inner().to()).containsExactly(2 + NY, 2 + NX);
    assertThat(u.missing(u.inner())).isZero();
    assertThat(u.missing(new FieldArray.Elements(new long[] {0, 2}, new long[] {3, 4})))
        .isEqualTo(4);
    assertThat(u.axis(1)).isEqualTo(Axis.X);
    assertThat(u.coordinate(1, 2)).isEqualTo(10.25);
    assertThat(u.coordinate(0, 0)).isEqualTo(-1.5);
    List<FieldArray.Elements> ofRanks = List.of(u.innerOf(0), u.innerOf(1), u.innerOf(2));
    assertThat(ofRanks.getFirst().from()[0]).isEqualTo(2);
    assertThat(ofRanks.get(1).from()[0]).isEqualTo(ofRanks.getFirst().to()[0]);
    assertThat(ofRanks.getLast().to()[0]).isEqualTo(2 + NY);
    assertThat(newest().array("plate/v")).isEmpty();
  }

  @Test
  void whatIsNoMeshIsRefused() {
    try (Checkpointer cairn = Checkpointer.open(folder)) {
      cairn.protect("u", new double[3]);
      cairn.checkpoint();
    }
    try (Checkpoints saved = Checkpoints.open(folder)) {
      assertThat(MeshReport.find(saved.newest())).isEmpty();
      assertThatThrownBy(() -> MeshReport.of(saved.newest())).hasMessageContaining("is no mesh");
    }
  }

  @Test
  void coordinatesThatCannotBeAreRefused() {
    try (Mesh mesh = Mesh.open(folder)) {
      Grid grid = mesh.grid("plate", 4, 4);
      assertThatThrownBy(() -> grid.coordinates(Axis.Z, 0, 1)).hasMessageContaining("no axis Z");
      assertThatThrownBy(() -> grid.coordinates(Axis.X, 0, 0)).hasMessageContaining("0.0 wide");
    }
  }
}
