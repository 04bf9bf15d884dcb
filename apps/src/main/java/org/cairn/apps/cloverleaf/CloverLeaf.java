// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.cairn.apps.Fingerprint;
import org.cairn.mesh.Data;
import org.cairn.mesh.Field;
import org.cairn.mesh.Mesh;

/**
 * The standard problem of CloverLeaf 2D, step by step.
 *
 * <p>Nothing here knows of checkpoints. A restarted program does the same steps again, in which the
 * loops before the checkpoint are left out.
 */
public final class CloverLeaf {
  /** The name of the loop at the end of a step that makes its results the state of the next one. */
  public static final String END_OF_STEP = Motion.RESET;

  private static final double LONGEST_STEP = .04;
  private static final double GROWTH = 1.5;

  private final Box b;
  private final Gas gas;
  private final Motion motion;
  private final CellSweep cells;
  private final NodeSweep nodes;
  private final Walls walls;

  private double dt = LONGEST_STEP;
  private double time;
  private long steps;
  private boolean xFirst = true;

  /**
   * What a step has to know beside the gas.
   *
   * @param dt the length of the last step
   * @param time the sum of all
   * @param steps how many there were
   * @param xFirst whether the next one begins with x
   */
  public record Moment(double dt, double time, long steps, boolean xFirst) {}

  /** The gas at rest, with its initial phase over. */
  public CloverLeaf(Mesh mesh, int nx, int ny) {
    this(mesh, nx, ny, Mesh::ready);
  }

  /** The gas at rest, and the mesh is told something. */
  public CloverLeaf(Mesh mesh, int nx, int ny, Consumer<Mesh> tell) {
    b = new Box(mesh, nx, ny);
    gas = new Gas(b);
    motion = new Motion(b);
    cells = new CellSweep(b);
    nodes = new NodeSweep(b);
    walls = new Walls(b);
    b.fill();
    tell.accept(mesh);
  }

  /** Advances the gas by one step. */
  public void step() {
    dt = timeStep();
    follow();
    mapBack();
    motion.reset();
    xFirst = !xFirst;
    time += dt;
    steps++;
    b.mesh.time(steps, time);
  }

  private double timeStep() {
    gas.ideal(b.density0, b.energy0);
    walls.ofCells(b.pressure, 1);
    walls.ofCells(b.energy0, 1);
    walls.ofCells(b.density0, 1);
    walls.ofVelocityX(b.xvel0, 1);
    walls.ofVelocityY(b.yvel0, 1);
    gas.viscosity();
    walls.ofCells(b.viscosity, 1);
    return Math.min(Math.min(gas.timeStep(), dt * GROWTH), LONGEST_STEP);
  }

  private void follow() {
    motion.predict(dt);
    gas.ideal(b.density1, b.energy1);
    walls.ofCells(b.pressure, 1);
    motion.revert();
    motion.accelerate(dt);
    motion.correct(dt);
    motion.fluxes(dt);
  }

  private void mapBack() {
    walls.ofCells(b.energy1, 2);
    walls.ofCells(b.density1, 2);
    walls.ofFluxX(b.volFluxX, 2);
    walls.ofFluxY(b.volFluxY, 2);
    sweep(xFirst, true);
    sweep(!xFirst, false);
  }

  private void sweep(boolean alongX, boolean first) {
    if (alongX) {
      cells.alongX(first);
    } else {
      cells.alongY(first);
    }
    walls.ofCells(b.density1, 2);
    walls.ofCells(b.energy1, 2);
    walls.ofVelocityX(b.xvel1, 2);
    walls.ofVelocityY(b.yvel1, 2);
    walls.ofFluxX(b.massFluxX, 2);
    walls.ofFluxY(b.massFluxY, 2);
    if (alongX) {
      nodes.alongX(first);
    } else {
      nodes.alongY(first);
    }
  }

  /**
   * Sums over all cells.
   *
   * @param inOrder whether they are made cell after cell as the published program does, for its
   *     last bits; otherwise they are the same on any number of ranks and threads, and faster
   */
  public CloverTotals totals(boolean inOrder) {
    gas.ideal(b.density0, b.energy0);
    return gas.totals(inOrder);
  }

  /** Where it is. */
  public CloverLeafResult result(boolean inOrder) {
    CloverTotals totals = totals(inOrder);
    long fingerprint =
        new Fingerprint(b.mesh)
            .add(b.cells, b.density0)
            .add(b.cells, b.energy0)
            .add(b.corners, b.xvel0)
            .add(b.corners, b.yvel0)
            .value();
    return new CloverLeafResult(steps, time, totals, fingerprint);
  }

  /** The fields that the next step needs; it computes the others. */
  public Data[] state() {
    return new Data[] {b.density0, b.energy0, b.xvel0, b.yvel0};
  }

  /** The fields that are needed at {@link #END_OF_STEP}. */
  public Data[] stateAtEndOfStep() {
    return new Data[] {b.density1, b.energy1, b.xvel1, b.yvel1};
  }

  /** All memory of its fields, to be read; without the widths of rows and columns. */
  public List<MemorySegment> memory() {
    return b.fields().stream().map(Field::segment).toList();
  }

  /** When it is. */
  public Moment moment() {
    return new Moment(dt, time, steps, xFirst);
  }

  /** Lets it be another moment, to which the fields belong. */
  public void moment(Moment other) {
    dt = other.dt;
    time = other.time;
    steps = other.steps;
    xFirst = other.xFirst;
  }

  public double time() {
    return time;
  }

  public long steps() {
    return steps;
  }
}
