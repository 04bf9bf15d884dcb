// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

/** CloverLeaf 2D over plain arrays: the standard problem, step by step. */
public final class Clover implements AutoCloseable {
  private static final double LONGEST_STEP = .04;
  private static final double GROWTH = 1.5;

  private final CloverFields f;
  private final RowThreads rows;
  private final Walls walls;
  private final int nx;
  private final int ny;

  private double dt = LONGEST_STEP;
  private double time;
  private long steps;
  private boolean xFirst = true;

  /** The gas at rest. */
  public Clover(int nx, int ny, int threads) {
    this.nx = nx;
    this.ny = ny;
    this.f = new CloverFields(nx, ny);
    this.rows = new RowThreads(threads);
    this.walls = new Walls(f, rows);
  }

  /** Advances the gas by one step. */
  public void step() {
    dt = timeStep();
    predict();
    accelerate();
    advect();
    reset();
    xFirst = !xFirst;
    time += dt;
    steps++;
  }

  private double timeStep() {
    idealGas(f.density0, f.energy0);
    walls.ofCells(f.pressure, 1);
    walls.ofCells(f.energy0, 1);
    walls.ofCells(f.density0, 1);
    walls.ofVelocityX(f.xvel0, 1);
    walls.ofVelocityY(f.yvel0, 1);
    rows.each(0, ny, (from, to) -> Gas.viscosity(f, from, to));
    walls.ofCells(f.viscosity, 1);
    double allowed = rows.min(0, ny, (from, to) -> Gas.timeStep(f, from, to));
    return Math.min(Math.min(allowed, dt * GROWTH), LONGEST_STEP);
  }

  private void idealGas(double[] density, double[] energy) {
    rows.each(0, ny, (from, to) -> Gas.ideal(f, density, energy, from, to));
  }

  private void predict() {
    rows.each(0, ny, (from, to) -> Motion.predict(f, dt, from, to));
    idealGas(f.density1, f.energy1);
    walls.ofCells(f.pressure, 1);
    rows.each(0, ny, (from, to) -> Motion.revert(f, from, to));
  }

  private void accelerate() {
    rows.each(0, ny + 1, (from, to) -> Motion.accelerate(f, dt, from, to));
    rows.each(0, ny, (from, to) -> Motion.correct(f, dt, from, to));
    rows.each(0, ny, (from, to) -> Motion.fluxX(f, dt, from, to));
    rows.each(0, ny + 1, (from, to) -> Motion.fluxY(f, dt, from, to));
  }

  private void advect() {
    walls.ofCells(f.energy1, 2);
    walls.ofCells(f.density1, 2);
    walls.ofFluxX(f.volFluxX, 2);
    walls.ofFluxY(f.volFluxY, 2);
    for (int sweep = 0; sweep < 2; sweep++) {
      boolean first = sweep == 0;
      boolean alongX = xFirst == first;
      if (alongX) {
        cellsX(first);
      } else {
        cellsY(first);
      }
      mirrorSwept();
      if (alongX) {
        nodesX(first);
      } else {
        nodesY(first);
      }
    }
  }

  private void mirrorSwept() {
    walls.ofCells(f.density1, 2);
    walls.ofCells(f.energy1, 2);
    walls.ofVelocityX(f.xvel1, 2);
    walls.ofVelocityY(f.yvel1, 2);
    walls.ofFluxX(f.massFluxX, 2);
    walls.ofFluxY(f.massFluxY, 2);
  }

  private void cellsX(boolean first) {
    if (first) {
      rows.each(-2, ny + 2, (from, to) -> CellSweep.volumesOfFirstX(f, from, to));
    } else {
      rows.each(-2, ny + 2, (from, to) -> CellSweep.volumesOfSecondX(f, from, to));
    }
    rows.each(0, ny, (from, to) -> CellSweep.fluxesX(f, from, to));
    rows.each(0, ny, (from, to) -> CellSweep.updateX(f, from, to));
  }

  private void cellsY(boolean first) {
    if (first) {
      rows.each(-2, ny + 2, (from, to) -> CellSweep.volumesOfFirstY(f, from, to));
    } else {
      rows.each(-2, ny + 2, (from, to) -> CellSweep.volumesOfSecondY(f, from, to));
    }
    rows.each(0, ny + 2, (from, to) -> CellSweep.fluxesY(f, from, to));
    rows.each(0, ny, (from, to) -> CellSweep.updateY(f, from, to));
  }

  private void nodesX(boolean first) {
    if (first) {
      rows.each(-2, ny + 2, (from, to) -> NodeSweep.volumesOfFirstX(f, from, to));
    } else {
      rows.each(-2, ny + 2, (from, to) -> NodeSweep.volumesOfSecond(f, from, to));
    }
    rows.each(0, ny + 1, (from, to) -> NodeSweep.fluxX(f, from, to));
    rows.each(0, ny + 1, (from, to) -> NodeSweep.massX(f, from, to));
    for (double[] velocity : new double[][] {f.xvel1, f.yvel1}) {
      rows.each(0, ny + 1, (from, to) -> NodeSweep.momentumX(f, velocity, from, to));
      rows.each(0, ny + 1, (from, to) -> NodeSweep.updateX(f, velocity, from, to));
    }
  }

  private void nodesY(boolean first) {
    if (first) {
      rows.each(-2, ny + 2, (from, to) -> NodeSweep.volumesOfFirstY(f, from, to));
    } else {
      rows.each(-2, ny + 2, (from, to) -> NodeSweep.volumesOfSecond(f, from, to));
    }
    rows.each(-2, ny + 2, (from, to) -> NodeSweep.fluxY(f, from, to));
    rows.each(-1, ny + 2, (from, to) -> NodeSweep.massY(f, from, to));
    for (double[] velocity : new double[][] {f.xvel1, f.yvel1}) {
      rows.each(-1, ny + 1, (from, to) -> NodeSweep.momentumY(f, velocity, from, to));
      rows.each(0, ny + 1, (from, to) -> NodeSweep.updateY(f, velocity, from, to));
    }
  }

  private void reset() {
    rows.each(0, ny, (from, to) -> Motion.resetCells(f, from, to));
    rows.each(0, ny + 1, (from, to) -> Motion.resetCorners(f, from, to));
  }

  /** Sums over all cells; the pressure is that of the state as it is. */
  public CloverTotals totals() {
    idealGas(f.density0, f.energy0);
    return Gas.totals(f);
  }

  /**
   * The state between two steps, cell by cell and corner by corner: density, energy, velocity along
   * x, velocity along y.
   */
  public double[] state() {
    double[] state = new double[2 * nx * ny + 2 * (nx + 1) * (ny + 1)];
    int at = 0;
    for (double[] cells : new double[][] {f.density0, f.energy0}) {
      at = inside(cells, nx, ny, state, at);
    }
    for (double[] corners : new double[][] {f.xvel0, f.yvel0}) {
      at = inside(corners, nx + 1, ny + 1, state, at);
    }
    return state;
  }

  private int inside(double[] field, int width, int height, double[] target, int from) {
    for (int j = 0; j < height; j++) {
      System.arraycopy(field, f.at(0, j), target, from + j * width, width);
    }
    return from + width * height;
  }

  public double time() {
    return time;
  }

  public long steps() {
    return steps;
  }

  @Override
  public void close() {
    rows.close();
  }
}
