// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.cairn.Options;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.MeshOptions;

/**
 * How fast whole programs of a mesh are, against the same programs written by hand, in one process.
 * Both take turns after few steps, every other time in the other order. For one thread the least
 * time of the processor counts; for more it is the clock, which says as much of who else has their
 * cores, and so the median of the ratios of neighbours counts. Both were warmed on a small grid. No
 * checkpoint is taken.
 */
public final class ProgramSpeed {
  private static final int WARM_POINTS = 4_000_000;
  private static final int POINTS_PER_ROUND = 8_000_000;

  /** Some tenths of a second: what disturbs one of the two disturbs the other one as well. */
  private static final int POINTS_PER_TURN = 1_000_000;

  private final Path folder;
  private int opened;

  private ProgramSpeed(Path folder) {
    this.folder = folder;
  }

  /**
   * What was measured.
   *
   * @param program its name
   * @param cells of its grid, in words
   * @param threads that computed
   * @param byHand nanoseconds for a cell in a step
   * @param mesh how much longer the program of the mesh takes
   */
  public record Result(String program, String cells, int threads, double byHand, double mesh) {}

  /** A program in both forms. */
  private record Subject(String name, int axes, ByHand byHand, OfMesh ofMesh) {
    interface ByHand {
      Program make(int cells, int threads);
    }

    interface OfMesh {
      Program make(Mesh mesh, int cells);
    }

    long points(int cells) {
      return axes == 2 ? (long) cells * cells : (long) cells * cells * cells;
    }
  }

  private static final Subject CLOVER =
      new Subject("CloverLeaf 2D", 2, Clovers::byHand, Clovers::ofMesh);
  private static final Subject SEVEN =
      new Subject("7 points", 3, SevenPoints.ByHand::new, SevenPoints.OfMesh::new);

  /**
   * Measures CloverLeaf on squares and the stencil of seven points in cubes.
   *
   * @param folder for the checkpoints that are not taken
   */
  public static List<Result> measure(Path folder, int[] squares, int[] cubes, int rounds) {
    ProgramSpeed speed = new ProgramSpeed(folder);
    List<Result> results = new ArrayList<>();
    for (int threads = 1; threads <= 2; threads++) {
      for (int cells : squares) {
        results.add(speed.measure(CLOVER, cells, threads, rounds));
      }
      for (int cells : cubes) {
        results.add(speed.measure(SEVEN, cells, threads, rounds));
      }
    }
    return results;
  }

  private Result measure(Subject subject, int cells, int threads, int rounds) {
    warm(subject, threads);
    long points = subject.points(cells);
    int steps = (int) Math.max(1, POINTS_PER_TURN / points);
    int turns = (int) Math.max(2, POINTS_PER_ROUND / (steps * points));
    double[] hand = new double[rounds * turns];
    double[] mesh = new double[rounds * turns];
    try (Program byHand = subject.byHand.make(cells, threads);
        Program ofMesh = subject.ofMesh.make(mesh(threads), cells)) {
      for (int turn = -turns; turn < hand.length; turn++) {
        int at = Math.max(0, turn); // those of the first round are written over
        if (turn % 2 == 0) {
          hand[at] = seconds(byHand, steps, threads);
          mesh[at] = seconds(ofMesh, steps, threads);
        } else {
          mesh[at] = seconds(ofMesh, steps, threads);
          hand[at] = seconds(byHand, steps, threads);
        }
      }
      requireSame(subject, byHand, ofMesh);
    }
    double least = Arrays.stream(hand).min().orElseThrow();
    double ratio =
        threads == 1 ? Arrays.stream(mesh).min().orElseThrow() / least : medianRatio(mesh, hand);
    String size = cells + (subject.axes == 2 ? "²" : "³");
    return new Result(subject.name, size, threads, least * 1e9 / ((double) steps * points), ratio);
  }

  private static double medianRatio(double[] times, double[] baseline) {
    double[] ratios = new double[times.length];
    Arrays.setAll(ratios, n -> times[n] / baseline[n]);
    Arrays.sort(ratios);
    return ratios[ratios.length / 2];
  }

  /** Otherwise it would not be the same program that is compared. */
  private static void requireSame(Subject subject, Program byHand, Program ofMesh) {
    if (byHand.value() != ofMesh.value()) {
      throw new IllegalStateException(
          "%s by hand has come to %s, and as a mesh to %s"
              .formatted(subject.name, byHand.value(), ofMesh.value()));
    }
  }

  private void warm(Subject subject, int threads) {
    int cells = subject.axes == 2 ? 96 : 24;
    int steps = (int) (WARM_POINTS / subject.points(cells));
    try (Program byHand = subject.byHand.make(cells, threads);
        Program ofMesh = subject.ofMesh.make(mesh(threads), cells)) {
      for (int step = 0; step < steps; step++) {
        byHand.step();
        ofMesh.step();
      }
    }
  }

  private Mesh mesh(int threads) {
    Options never = Options.defaults().every(Duration.ofDays(1));
    return Mesh.open(
        folder.resolve("programs" + opened++),
        new SoloCommunicator(),
        MeshOptions.of(never).threads(threads));
  }

  private static double seconds(Program program, int steps, int threads) {
    long begin = now(threads);
    for (int step = 0; step < steps; step++) {
      program.step();
    }
    return (now(threads) - begin) * 1e-9;
  }

  private static long now(int threads) {
    return threads == 1
        ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
        : System.nanoTime();
  }
}
