// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.cairn.CheckpointStats;
import org.cairn.Options;
import org.cairn.apps.cloverleaf.CloverLeaf;
import org.cairn.apps.poisson.Poisson;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.MeshOptions;

/** What a first checkpoint writes, against the least that could be saved, known by hand. */
public final class SavedSize {
  /** Enough that the place was found. */
  private static final int STEPS = 40;

  private final Path folder;
  private final List<Result> results = new ArrayList<>();

  private SavedSize(Path folder) {
    this.folder = folder;
  }

  /**
   * What was measured.
   *
   * @param program its name
   * @param cells of its grid, in words
   * @param fields bytes of all its fields
   * @param least bytes of the least that has to be saved
   * @param saved bytes of the datasets of the version, those of the mesh itself among them
   * @param written bytes that went to the file, maps included; blocks that are alike go once
   */
  public record Result(
      String program, String cells, long fields, long least, long saved, long written) {
    /** How much more was saved than has to be. */
    public double ratio() {
      return (double) saved / least;
    }
  }

  private interface Steps {
    void step();
  }

  private interface Make {
    Steps on(Mesh mesh);
  }

  /**
   * Measures.
   *
   * @param folder for checkpoints
   */
  public static List<Result> measure(Path folder, int[] squares, int[] cubes) {
    SavedSize sizes = new SavedSize(folder);
    for (int n : squares) {
      long cells = (long) n * n;
      long corners = (n + 1L) * (n + 1L);
      // Density and energy of cells, two velocities of corners; walls follow from them.
      sizes.measure(
          "CloverLeaf 2D",
          n + "²",
          2 * cells + 2 * corners,
          mesh -> new CloverLeaf(mesh, n, n)::step);
      sizes.measure("Poisson", n + "²", cells, mesh -> new Poisson(mesh, n, n)::step);
    }
    for (int n : cubes) {
      sizes.measure(
          "7 points", n + "³", (long) n * n * n, mesh -> new SevenPoints.OfMesh(mesh, n)::step);
    }
    return sizes.results;
  }

  private void measure(String name, String cells, long least, Make make) {
    MeshOptions options = MeshOptions.of(Options.defaults().every(Duration.ofDays(1)));
    Path where = folder.resolve("saved" + results.size());
    try (Mesh mesh = Mesh.open(where, new SoloCommunicator(), options)) {
      Steps program = make.on(mesh);
      for (int step = 0; step < STEPS; step++) {
        program.step();
      }
      mesh.checkpoint();
      while (mesh.stats().last().isEmpty()) {
        program.step();
      }
      CheckpointStats stats = mesh.stats().last().get();
      results.add(
          new Result(
              name,
              cells,
              fieldBytes(mesh.report()),
              least * Double.BYTES,
              stats.protectedBytes(),
              stats.bytesWritten()));
    }
  }

  private static long fieldBytes(String report) {
    String line = report.lines().filter(one -> one.startsWith("bytes\t")).findFirst().orElseThrow();
    return Long.parseLong(line.split("\t", -1)[1]);
  }
}
