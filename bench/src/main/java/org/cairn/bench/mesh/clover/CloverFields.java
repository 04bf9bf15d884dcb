// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

import java.util.Arrays;

/**
 * The arrays of CloverLeaf 2D. All have the same shape, so that one index serves all of them: cells
 * are 0 to n − 1 in each direction, corners and faces 0 to n, and around them lie two layers more.
 */
final class CloverFields {
  static final int HALO = 2;

  private static final double WIDTH = 10;

  final int nx;
  final int ny;

  /** From a point to the one above it. */
  final int pitch;

  // At the centres of cells: before (0) and after (1) the motion.
  final double[] density0;
  final double[] density1;
  final double[] energy0;
  final double[] energy1;
  final double[] pressure;
  final double[] viscosity;
  final double[] soundspeed;
  final double[] volume;

  // At corners.
  final double[] xvel0;
  final double[] xvel1;
  final double[] yvel0;
  final double[] yvel1;

  // Through faces.
  final double[] xarea;
  final double[] yarea;
  final double[] volFluxX;
  final double[] volFluxY;
  final double[] massFluxX;
  final double[] massFluxY;

  // Of use within a sweep only.
  final double[] sweepVolume;
  final double[] energyFlux;
  final double[] nodeFlux;
  final double[] nodeMassBefore;
  final double[] nodeMassAfter;
  final double[] momentumFlux;

  // Of columns and rows; index i is at i + HALO.
  final double[] celldx;
  final double[] celldy;
  final double[] vertexdx;
  final double[] vertexdy;

  private final double dx;
  private final double dy;
  private final int points;

  /** The standard problem: dense hot gas in a corner of a box with square cells, all at rest. */
  CloverFields(int nx, int ny) {
    this.nx = nx;
    this.ny = ny;
    this.pitch = nx + 1 + 2 * HALO;
    this.points = Math.multiplyExact(pitch, ny + 1 + 2 * HALO);
    this.dx = WIDTH / nx;
    this.dy = WIDTH * ny / nx / ny;
    density0 = zeros();
    density1 = zeros();
    energy0 = zeros();
    energy1 = zeros();
    pressure = zeros();
    viscosity = zeros();
    soundspeed = zeros();
    volume = zeros();
    xvel0 = zeros();
    xvel1 = zeros();
    yvel0 = zeros();
    yvel1 = zeros();
    xarea = zeros();
    yarea = zeros();
    volFluxX = zeros();
    volFluxY = zeros();
    massFluxX = zeros();
    massFluxY = zeros();
    sweepVolume = zeros();
    energyFlux = zeros();
    nodeFlux = zeros();
    nodeMassBefore = zeros();
    nodeMassAfter = zeros();
    momentumFlux = zeros();
    celldx = line(nx, dx);
    celldy = line(ny, dy);
    vertexdx = line(nx, dx);
    vertexdy = line(ny, dy);
    fill();
  }

  private double[] zeros() {
    return new double[points];
  }

  private static double[] line(int cells, double width) {
    double[] line = new double[cells + 1 + 2 * HALO];
    Arrays.fill(line, width);
    return line;
  }

  /** Where the point of column i and row j is. */
  int at(int i, int j) {
    return (j + HALO) * pitch + i + HALO;
  }

  private void fill() {
    for (int j = -HALO; j < ny + HALO; j++) {
      for (int i = -HALO; i < nx + HALO; i++) {
        int k = at(i, j);
        volume[k] = dx * dy;
        xarea[k] = dy;
        yarea[k] = dx;
        boolean dense = isInside(i, dx, 5) && isInside(j, dy, 2);
        density0[k] = dense ? 1 : .2;
        energy0[k] = dense ? 2.5 : 1;
      }
    }
  }

  /** The box of the dense gas is a hundredth of a cell smaller at each side. */
  private static boolean isInside(int i, double width, double to) {
    return width * (i + 1) >= width / 100 && width * i < to - width / 100;
  }
}
