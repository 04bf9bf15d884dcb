// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;

import java.util.List;
import org.cairn.mesh.At;
import org.cairn.mesh.Axis;
import org.cairn.mesh.Field;
import org.cairn.mesh.Grid;
import org.cairn.mesh.Line;
import org.cairn.mesh.Mesh;
import org.cairn.mesh.Range;
import org.cairn.mesh.Stencil;

/** The box with its gas: all fields, the ranges of loops, and what kernels see around a point. */
final class Box {
  /** The four corners of a cell. */
  static final Stencil CORNERS = Stencil.of2D(0, 0, 1, 0, 0, 1, 1, 1);

  /** The four cells around a corner. */
  static final Stencil CELLS_AROUND = Stencil.of2D(0, 0, -1, 0, 0, -1, -1, -1);

  /** The four cells beside a cell. */
  static final Stencil BESIDE = Stencil.of2D(1, 0, -1, 0, 0, 1, 0, -1);

  /** The own point and the next one of the row. */
  static final Stencil TO_EAST = Stencil.of2D(0, 0, 1, 0);

  /** The own point and the one above it. */
  static final Stencil TO_NORTH = Stencil.of2D(0, 0, 0, 1);

  static final Stencil TO_WEST = Stencil.of2D(0, 0, -1, 0);
  static final Stencil TO_SOUTH = Stencil.of2D(0, 0, 0, -1);

  private static final double WIDTH = 10;

  final Mesh mesh;
  final Grid grid;
  final int nx;
  final int ny;
  final int e;
  final int n;

  // At the centres of cells: before (0) and after (1) the motion.
  final Field density0;
  final Field density1;
  final Field energy0;
  final Field energy1;
  final Field pressure;
  final Field viscosity;
  final Field soundspeed;
  final Field volume;

  // At corners.
  final Field xvel0;
  final Field xvel1;
  final Field yvel0;
  final Field yvel1;

  // Through faces.
  final Field xarea;
  final Field yarea;
  final Field volFluxX;
  final Field volFluxY;
  final Field massFluxX;
  final Field massFluxY;

  // Of use within a sweep only.
  final Field sweepVolume;
  final Field energyFlux;
  final Field nodeFlux;
  final Field nodeMassBefore;
  final Field nodeMassAfter;
  final Field momentumFlux;

  final Line celldx;
  final Line celldy;
  final Line vertexdx;
  final Line vertexdy;

  final Range cells;
  final Range corners;

  /** The cells and two layers around them. */
  final Range around;

  Box(Mesh mesh, int nx, int ny) {
    this.mesh = mesh;
    this.nx = nx;
    this.ny = ny;
    this.grid =
        mesh.grid("box", nx, ny)
            .halo(2)
            .coordinates(Axis.X, 0, WIDTH / nx)
            .coordinates(Axis.Y, 0, WIDTH / nx);
    this.e = grid.east();
    this.n = grid.north();
    density0 = grid.field("density0");
    density1 = grid.field("density1");
    energy0 = grid.field("energy0");
    energy1 = grid.field("energy1");
    pressure = grid.field("pressure");
    viscosity = grid.field("viscosity");
    soundspeed = grid.field("soundspeed");
    volume = grid.field("volume");
    xvel0 = grid.field("xvel0", At.NODES);
    xvel1 = grid.field("xvel1", At.NODES);
    yvel0 = grid.field("yvel0", At.NODES);
    yvel1 = grid.field("yvel1", At.NODES);
    xarea = grid.field("xarea", At.X_FACES);
    yarea = grid.field("yarea", At.Y_FACES);
    volFluxX = grid.field("vol_flux_x", At.X_FACES);
    volFluxY = grid.field("vol_flux_y", At.Y_FACES);
    massFluxX = grid.field("mass_flux_x", At.X_FACES);
    massFluxY = grid.field("mass_flux_y", At.Y_FACES);
    sweepVolume = grid.field("sweep_volume");
    energyFlux = grid.field("energy_flux");
    nodeFlux = grid.field("node_flux", At.NODES);
    nodeMassBefore = grid.field("node_mass_before", At.NODES);
    nodeMassAfter = grid.field("node_mass_after", At.NODES);
    momentumFlux = grid.field("momentum_flux", At.NODES);
    celldx = grid.line("celldx", Axis.X);
    celldy = grid.line("celldy", Axis.Y);
    vertexdx = grid.line("vertexdx", Axis.X);
    vertexdy = grid.line("vertexdy", Axis.Y);
    cells = grid.cells();
    corners = grid.nodes();
    around = grid.range(-2, nx + 2, -2, ny + 2);
  }

  /** All that there are in two dimensions. */
  List<Field> fields() {
    return List.of(
        density0,
        density1,
        energy0,
        energy1,
        pressure,
        viscosity,
        soundspeed,
        volume,
        xvel0,
        xvel1,
        yvel0,
        yvel1,
        xarea,
        yarea,
        volFluxX,
        volFluxY,
        massFluxX,
        massFluxY,
        sweepVolume,
        energyFlux,
        nodeFlux,
        nodeMassBefore,
        nodeMassAfter,
        momentumFlux);
  }

  /** The standard problem: dense hot gas in a corner of a box with square cells, all at rest. */
  void fill() {
    double dx = WIDTH / nx;
    double dy = WIDTH * ny / nx / ny;
    fill(celldx, dx);
    fill(celldy, dy);
    fill(vertexdx, dx);
    fill(vertexdy, dy);
    measure();
    Field density = density0;
    Field energy = energy0;
    mesh.each(
        "gas",
        around,
        writes(density, energy),
        (k, i, j) -> {
          boolean dense = isInside(i, dx, 5) && isInside(j, dy, 2);
          density.set(k, dense ? 1 : .2);
          energy.set(k, dense ? 2.5 : 1);
        });
  }

  private void fill(Line line, double width) {
    mesh.each("widths", line.all(), writes(line), k -> line.set(k, width));
  }

  private void measure() {
    Line dx = celldx;
    Line dy = celldy;
    Field v = volume;
    Field x = xarea;
    Field y = yarea;
    mesh.each(
        "measure",
        around,
        reads(dx, dy),
        writes(v, x, y),
        (k, i, j) -> {
          v.set(k, dx.at(i) * dy.at(j));
          x.set(k, dy.at(j));
          y.set(k, dx.at(i));
        });
  }

  /** The region of the dense gas is a hundredth of a cell smaller at each side. */
  private static boolean isInside(int i, double width, double to) {
    return width * (i + 1) >= width / 100 && width * i < to - width / 100;
  }
}
