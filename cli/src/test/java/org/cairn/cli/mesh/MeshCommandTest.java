// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.mesh;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.cli.Cli;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.mesh.At;
import org.cairn.mesh.Axis;
import org.cairn.mesh.Field;
import org.cairn.mesh.Grid;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.MeshOptions;
import org.cairn.store.DirectoryStore;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Checkpoints of a mesh are explained, and its fields become files. */
class MeshCommandTest {
  private static final int NX = 6;
  private static final int NY = 5;
  private static final int STEPS = 60;

  @TempDir static Path shared;
  @TempDir Path temp;
  private static Path job;

  @BeforeAll
  static void save() {
    job = shared.resolve("job");
    Ranks.run(2, MeshCommandTest::run);
  }

  private static Path flushed() {
    return shared.resolve("flushed");
  }

  /** Counts: after each step cells are 1 more; corners have where they are. */
  private static void run(Communicator ranks) throws IOException {
    Options rarely =
        Options.defaults()
            .every(Duration.ofDays(1))
            .tiers(Tiers.none().shared(DirectoryStore.shared(flushed()), 1));
    MeshOptions options = MeshOptions.of(rarely).threads(1);
    try (Mesh mesh = Mesh.open(job, ranks, options)) {
      Grid grid =
          mesh.grid("plate", NX, NY)
              .halo(1)
              .coordinates(Axis.X, 1, .5)
              .coordinates(Axis.Y, -2, .25);
      Field cells = grid.field("cells");
      Field corners = grid.field("corners", At.NODES);
      Field spare = grid.field("spare");
      mesh.each("place", grid.nodes(), writes(corners), (k, i, j) -> corners.set(k, 10 * j + i));
      for (int step = 1; step <= STEPS; step++) {
        mesh.each(
            "copy", grid.cells(), reads(cells), writes(spare), k -> spare.set(k, cells.at(k)));
        mesh.each(
            "count",
            grid.cells(),
            reads(spare),
            updates(cells),
            k -> cells.set(k, spare.at(k) + 1));
        mesh.each("turn", grid.nodes(), updates(corners), k -> corners.set(k, corners.at(k)));
        mesh.time(step, step * .125);
        if (step == STEPS - 10) {
          mesh.checkpoint();
        }
      }
    }
  }

  private static Cli.Result succeed(Object... arguments) {
    Cli.Result result = Cli.run(arguments);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result;
  }

  @Test
  void theReportSaysWhereWhatAndWhy() {
    String text = succeed("mesh", "report", job).out();
    assertThat(text)
        .contains(
            "taken by 2 ranks",
            "place    before \"copy\", after \"turn\" (least to be saved)",
            "again    after at most 3 loops",
            "program  151 calls of 4 loops; step 50, time 6.25",
            "replays 151 calls",
            "dead: overwritten first by copy",
            "written by this checkpoint",
            "other places")
        .containsPattern("plate/cells +double +30 +72 +1 +240 B +- +live: read first by copy");
    JsonNode json = succeed("mesh", "report", job, "--json").json();
    assertThat(json.get("ranks").asInt()).isEqualTo(2);
    assertThat(json.get("step").asLong()).isEqualTo(50);
    assertThat(json.get("place").get("calls").asLong()).isEqualTo(151);
    assertThat(json.get("fields").get(1).get("name").asString()).isEqualTo("plate/corners");
    assertThat(json.get("neededBytes").asLong()).isEqualTo(8 * (30 + 42));
    assertThat(json.get("writtenBytes").asLong()).isGreaterThan(8 * (30 + 42));
  }

  @Test
  void aSharedDirectoryIsEnough() throws IOException {
    JsonNode json = succeed("mesh", "report", flushed(), "--json").json();
    assertThat(json.get("place").get("calls").asLong()).isEqualTo(151);
    assertThat(json.get("writtenBytes").isNull()).isTrue();
    assertThat(succeed("mesh", "report", flushed()).out()).doesNotContain("written by");
    Path file = temp.resolve("cells.raw");
    succeed("export", flushed(), "--dataset", "plate/cells", "--file", file);
    assertThat(doubles(file)).hasSize(NX * NY).containsOnly(50);
  }

  @Test
  void whatCannotBeReportedSaysWhy() {
    Path plain = temp.resolve("plain");
    try (Checkpointer cairn = Checkpointer.open(plain)) {
      cairn.protect("u", new double[4]);
      cairn.checkpoint();
    }
    Cli.Result none = Cli.run("mesh", "report", plain);
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).contains("version 1.1 in " + plain, "is no mesh", "cairn show");
    Cli.Result version = Cli.run("mesh", "report", job, "--version", "7.7");
    assertThat(version.exitCode()).isEqualTo(1);
    assertThat(version.err()).contains("no version 7.7");
    Path early = temp.resolve("early");
    Checkpointer.open(early).close();
    assertThat(Cli.run("mesh", "report", early).err()).contains("no checkpoint yet", "cairn ls");
    assertThat(Cli.run("mesh", "report", temp.resolve("nowhere")).err()).contains("does not exist");
    assertThat(Cli.run("mesh").exitCode()).isEqualTo(2);
  }

  @Test
  void hdf5HasCoordinatesStepAndTime() throws Exception {
    Path h5 = temp.resolve("corners.h5");
    succeed("export", job, "--dataset", "plate/corners", "--file", h5);
    Process dump =
        new ProcessBuilder("h5dump", "-y", h5.toString()).redirectErrorStream(true).start();
    String text = new String(dump.getInputStream().readAllBytes(), ISO_8859_1);
    assertThat(dump.waitFor()).as(text).isZero();
    assertThat(text.replaceAll("\\s+", " "))
        .contains(
            "DATASET \"plate_corners\"",
            "( 6, 7 )",
            "DATASET \"x\"",
            "1, 1.5, 2, 2.5, 3, 3.5, 4",
            "DATASET \"y\"",
            "-2, -1.75, -1.5, -1.25, -1, -0.75",
            "10, 11, 12, 13, 14, 15, 16",
            "ATTRIBUTE \"step\" { DATATYPE H5T_STD_I64LE DATASPACE SCALAR DATA { 50",
            "ATTRIBUTE \"time\" { DATATYPE H5T_IEEE_F64LE DATASPACE SCALAR DATA { 6.25");
  }

  @Test
  void filesForParaViewTellCellsFromCorners() throws IOException {
    Path file = temp.resolve("cells.vti");
    succeed("export", job, "--dataset", "plate/cells", "--file", file);
    assertThat(Files.readString(file, ISO_8859_1))
        .contains(
            "WholeExtent=\"0 6 0 5 0 0\" Origin=\"1 -2 0\" Spacing=\"0.5 0.25 0.5\"",
            "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">6.25<",
            "<CellData Scalars=\"plate/cells\">",
            "</CellData>");
    file = temp.resolve("corners.vti");
    succeed("export", job, "--dataset", "plate/corners", "--file", file);
    assertThat(Files.readString(file, ISO_8859_1))
        .contains("WholeExtent=\"0 6 0 5 0 0\" Origin=\"1 -2 0\"", "<PointData ");
    file = temp.resolve("cells.xdmf");
    succeed("export", job, "--dataset", "plate/cells", "--file", file);
    assertThat(Files.readString(file))
        .contains(
            "<Time Value=\"6.25\"/>",
            "Dimensions=\"2 6 7\"/>",
            ">0 -2 1</DataItem>",
            ">0.5 0.25 0.5</DataItem>",
            "Center=\"Cell\">",
            "Dimensions=\"1 5 6\">cells.raw<");
  }

  @Test
  void elementsOfTheHaloAreLeftOutUnlessASliceHasThem() throws IOException {
    Path file = temp.resolve("cells.raw");
    assertThat(succeed("export", job, "--dataset", "plate/cells", "--file", file).err()).isEmpty();
    assertThat(doubles(file)).hasSize(NX * NY).containsOnly(50);
    Cli.Result sliced =
        succeed(
            "export",
            job,
            "--dataset",
            "plate/cells",
            "--slice",
            "0:2,1:3",
            "--file",
            file,
            "--force");
    assertThat(doubles(file)).containsExactly(0, 0, 50, 50);
    assertThat(sliced.err())
        .contains("2 of 4 elements of plate/cells are not in version 1.", "written as 0");
    Cli.Result dead =
        Cli.run("export", job, "--dataset", "plate/spare", "--file", temp.resolve("spare.npy"));
    assertThat(dead.exitCode()).isEqualTo(1);
    assertThat(dead.err()).contains("dead: overwritten first by copy", "cairn mesh report");
  }

  @Test
  void eachRankHasAFileOfWhatItComputed() throws IOException {
    Path file = temp.resolve("corners.raw");
    succeed("export", job, "--dataset", "plate/corners", "--per-rank", "--file", file);
    assertThat(doubles(temp.resolve("corners-rank0.raw"))).hasSize(2 * 7).contains(0, 16);
    assertThat(doubles(temp.resolve("corners-rank1.raw"))).hasSize(4 * 7).contains(20, 56);
    assertThat(file).doesNotExist();
    assertThat(
            Cli.run(
                    "export",
                    job,
                    "--dataset",
                    "plate/cells",
                    "--per-rank",
                    "--slice",
                    "1",
                    "--file",
                    file)
                .err())
        .contains("leave out --slice");
  }

  private static double[] doubles(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    double[] values = new double[bytes.length / Double.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().get(values);
    return values;
  }
}
