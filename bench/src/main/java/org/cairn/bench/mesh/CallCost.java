// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import org.cairn.Options;
import org.cairn.apps.cloverleaf.CloverLeaf;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Field;
import org.cairn.mesh.Grid;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.MeshOptions;
import org.cairn.mesh.Range;

/** What a call of a loop costs, that of a loop which is replayed, and the search for a place. */
public final class CallCost {
  private static final int BATCH = 3_000_000;
  private static final int BATCHES = 12;

  /** A run of the usual size, and a short one. */
  private static final int CLOVER_CELLS = 960;

  private static final int CLOVER_STEPS = 87;
  private static final int SHORT_CELLS = 256;
  private static final int SHORT_STEPS = 200;

  private CallCost() {}

  /**
   * What was measured.
   *
   * @param callNanos processor time of a call of a loop of one point
   * @param replayedPerSecond loops that a replay skips in a second of processor time, from the
   *     opening of the mesh to where it was
   * @param replayed how many it skipped
   * @param shortPercent part of a short run of CloverLeaf in which a place was looked for, the
   *     first of the process
   * @param analysisPercent the same of a run of the usual size
   */
  public record Result(
      double callNanos,
      double replayedPerSecond,
      long replayed,
      double shortPercent,
      double analysisPercent) {}

  /**
   * Measures.
   *
   * @param folder for checkpoints
   */
  public static Result measure(Path folder) {
    double shortly = analysis(folder.resolve("short"), SHORT_CELLS, SHORT_STEPS);
    double call = callNanos(folder.resolve("calls"));
    long[] replay = replay(folder.resolve("calls"));
    double analysis = analysis(folder.resolve("analysis"), CLOVER_CELLS, CLOVER_STEPS);
    return new Result(call, replay[0] / (replay[1] * 1e-9), replay[0], shortly, analysis);
  }

  private static MeshOptions never() {
    return MeshOptions.of(Options.defaults().every(Duration.ofDays(1))).threads(1);
  }

  /** Three loops of one point in turn. */
  private static final class Tiny {
    private final Mesh mesh;
    private final Field u;
    private final Field v;
    private final Field w;
    private final Range one;

    Tiny(Mesh mesh) {
      this.mesh = mesh;
      Grid grid = mesh.grid("tiny", 4, 4);
      this.u = grid.field("u");
      this.v = grid.field("v");
      this.w = grid.field("w");
      this.one = grid.range(0, 1, 0, 1);
      Field a = u;
      Field b = v;
      Field c = w;
      mesh.each(
          "start",
          grid.all(),
          writes(a, b, c),
          k -> {
            a.set(k, 1);
            b.set(k, 2);
            c.set(k, 3);
          });
      mesh.ready();
    }

    void turn(double factor) {
      Field a = u;
      Field b = v;
      Field c = w;
      mesh.each("a", one, reads(a, STAR), writes(b), k -> b.set(k, a.at(k) * factor));
      mesh.each("b", one, reads(b), updates(c), k -> c.set(k, c.at(k) + b.at(k)));
      mesh.each("c", one, reads(c, b), writes(a), k -> a.set(k, b.at(k) * .5));
    }
  }

  /** The least of many batches; a checkpoint is taken at the end, for the replay. */
  private static double callNanos(Path folder) {
    double least = Double.MAX_VALUE;
    try (Mesh mesh = Mesh.open(folder, new SoloCommunicator(), never())) {
      Tiny tiny = new Tiny(mesh);
      for (int batch = 0; batch < BATCHES; batch++) {
        long begin = cpu();
        for (int call = 0; call < BATCH; call += 3) {
          tiny.turn(1 + (call & 1));
        }
        least = Math.min(least, (double) (cpu() - begin) / BATCH);
      }
      mesh.checkpoint();
      for (int turn = 0; turn < 100 && mesh.stats().checkpoints() == 0; turn++) {
        tiny.turn(1);
      }
    }
    return least;
  }

  private static long[] replay(Path folder) {
    long begin = cpu();
    try (Mesh mesh = Mesh.open(folder, new SoloCommunicator(), never())) {
      Tiny tiny = new Tiny(mesh);
      for (int call = 0; mesh.replaying(); call += 3) {
        tiny.turn(1 + (call & 1));
      }
      return new long[] {mesh.stats().loops(), cpu() - begin};
    }
  }

  private static double analysis(Path folder, int cells, int steps) {
    try (Mesh mesh = Mesh.open(folder, new SoloCommunicator(), never())) {
      long begin = System.nanoTime();
      CloverLeaf clover = new CloverLeaf(mesh, cells, cells);
      while (clover.steps() < steps) {
        clover.step();
      }
      return 100.0 * mesh.stats().analysis().toNanos() / (System.nanoTime() - begin);
    }
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
